#include "core/workspace/layouts/layout_json.h"

#include <nlohmann/json.hpp>

#include "core/workspace/layouts/layout_advice.h"

namespace hilo {
namespace {

using nlohmann::json;

json wishJson(const LayoutWish& wish) {
  return {{"kind", layoutWishKindName(wish.kind)},
          {"name", wish.name},
          {"opcode", wish.opcode},
          {"operand", wish.operand},
          {"layout", wish.layout},
          {"text", wish.text},
          {"source", wish.source}};
}

json chainJson(const std::vector<LayoutChainLink>& chain) {
  json list = json::array();
  for (const LayoutChainLink& link : chain) {
    json axes = json::array();
    for (const AxisPiece& piece :
         link.shape.isArray() ? piecesInMemory(link.shape, link.axes) : std::vector<AxisPiece>())
      axes.push_back({{"axis", piece.axis}, {"size", piece.size}});
    list.push_back({{"name", link.name},
                    {"opcode", link.opcode},
                    {"shape", toString(link.shape)},
                    {"isMove", link.isMove},
                    {"majorToMinor", axes}});
  }
  return list;
}

json adviceJson(const std::vector<LayoutAdvice>& advice) {
  json list = json::array();
  for (const LayoutAdvice& one : advice) {
    list.push_back(
        {{"text", one.text},
         {"constraint", one.constraint ? json(one.constraint->instruction + "=" + one.constraint->layout)
                                       : json(nullptr)}});
  }
  return list;
}

json rowJson(const LayoutStudy& study, const LayoutRow& row) {
  const LayoutMove& move = row.move;
  return {{"name", move.name},
          {"opcode", move.opcode},
          {"computation", move.computation},
          {"kernel", move.kernelName},
          {"alone", move.isAlone},
          {"kind", layoutMoveKindName(move.kind)},
          {"origin", layoutMoveOriginName(move.origin)},
          {"from", toString(move.from)},
          {"to", toString(move.to)},
          {"bytes", move.bytes},
          {"times", row.times},
          {"ns", row.ns},
          {"cause", move.text},
          {"recorded", row.recorded},
          {"given", wishJson(move.given)},
          {"wanted", wishJson(move.wanted)},
          {"chain", chainJson(move.chain)},
          {"advice", adviceJson(adviceFor(study, move))},
          {"source", move.source}};
}

}  // namespace

json layoutStudyJson(const LayoutStudy& study) {
  json rows = json::array(), padded = json::array();
  for (const LayoutRow& row : study.rows) rows.push_back(rowJson(study, row));
  for (const PaddedArray& array : study.padded)
    padded.push_back({{"name", array.name},
                      {"shape", array.shape},
                      {"bytes", array.bytes},
                      {"wastedBytes", array.wastedBytes}});
  json metrics = nullptr;
  if (study.metrics)
    metrics = {{"makespanNs", study.metrics->makespanNs}, {"peakBytes", study.metrics->peakBytes}};
  return {{"module", std::string(study.module->name())},
          {"device", study.device},
          {"laidOutBy", study.isOurs() ? "hilo" : "given"},
          {"moves", rows},
          {"bytes", study.bytes},
          {"aloneNs", study.aloneNs},
          {"sharedNs", study.sharedNs},
          {"padded", padded},
          {"metrics", metrics},
          {"notes", study.notes}};
}

}  // namespace hilo
