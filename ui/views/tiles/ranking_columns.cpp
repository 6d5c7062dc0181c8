#include "ui/views/tiles/ranking_columns.h"

#include <cmath>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

using Row = RankedTiling;

template <typename Ranked>
QString sizesText(const Ranked& row) {
  QStringList sizes;
  for (const int64_t size : row.sizes) sizes << QString::number(size);
  return sizes.join(" x ");
}

QString orderText(LaunchOrder order) {
  return order == LaunchOrder::kRowMajor     ? "row-major"
         : order == LaunchOrder::kTransposed ? "transposed"
                                             : "grouped";
}

// A number of the estimate, which a tiling that does not fit has none of.
TableColumn<Row> column(const char* name, const char* tip, double (*value)(const TilingEstimate&),
                        QString (*text)(double)) {
  return {name,
          [value, text](const Row& r) { return r.refusal.empty() ? text(value(r.estimate)) : QString(); },
          [value](const Row& r) { return r.refusal.empty() ? value(r.estimate) : 1e300; },
          [tip](const Row&) { return QString(tip); }};
}

QString microseconds(double ns) { return QString("%1 µs").arg(ns / 1000, 0, 'f', 2); }
QString bytesOf(double bytes) { return bytesText(std::llround(bytes)); }
QString percent(double share) { return QString("%1%").arg(100 * share, 0, 'f', 0); }
QString whole(double number) { return countText(static_cast<int64_t>(number)); }

using CoreField = double CoreEstimate::*;

TableColumn<CoreRanking> ofCore(const char* name, const char* tip, CoreField value, QString (*text)(double)) {
  return {name, [value, text](const CoreRanking& r) { return text(r.estimate.*value); },
          [value](const CoreRanking& r) { return r.estimate.*value; },
          [tip](const CoreRanking&) { return QString(tip); }};
}

}  // namespace

std::vector<TableColumn<RankedTiling>> rankingColumns() {
  using E = TilingEstimate;
  return {
      {"sizes", sizesText<Row>},
      {"order", [](const Row& r) { return r.refusal.empty() ? orderText(r.order) : QString(); }},
      column(
          "estimate", "Not measured: the launch and the longest of the four terms",
          [](const E& e) { return e.ns; }, microseconds),
      {"bound by",
       [](const Row& r) { return r.refusal.empty() ? QString(r.estimate.bound) : qs(r.refusal); }},
      column(
          "memory", "Bytes of memory by its bandwidth", [](const E& e) { return e.memoryNs; }, microseconds),
      column(
          "L2", "Bytes that blocks ask for by the bandwidth of L2", [](const E& e) { return e.l2Ns; },
          microseconds),
      column(
          "arithmetic", "Of the busiest processor", [](const E& e) { return e.computeNs; }, microseconds),
      column(
          "latency", "Steps that wait for each other", [](const E& e) { return e.latencyNs; }, microseconds),
      column(
          "coalesced", "Of the bytes of sectors, those asked for", [](const E& e) { return e.coalesced; },
          percent),
      column(
          "in L2", "Of the bytes read, those that do not come from memory",
          [](const E& e) { return e.reusedInL2; }, percent),
      column(
          "occupancy", "Of the threads that a processor can hold", [](const E& e) { return e.occupancy; },
          percent),
      column(
          "registers", "Of a thread", [](const E& e) { return static_cast<double>(e.registersOfThread); },
          whole),
      column(
          "shared", "Bytes of a block", [](const E& e) { return static_cast<double>(e.sharedBytes); },
          whole)};
}

std::vector<TableColumn<CoreRanking>> coreRankingColumns() {
  using E = CoreEstimate;
  return {{"sizes", sizesText<CoreRanking>},
          ofCore("estimate", "Not measured: the longer of arithmetic and streamed, and scattered", &E::ns,
                 microseconds),
          ofCore("arithmetic", "Elements, and turns of loops", &E::computeNs, microseconds),
          ofCore("streamed", "Lines that are neighbours, which the processor fetches ahead", &E::streamedNs,
                 microseconds),
          ofCore("scattered", "Lines that it waits for", &E::scatteredNs, microseconds),
          ofCore("near", "Bytes of lines that come into the first cache", &E::nearBytes, bytesOf),
          ofCore("memory", "Bytes of lines that come into the last cache", &E::memoryBytes, bytesOf)};
}

}  // namespace hilo
