#include "core/workspace/partition/partition_json.h"

#include <nlohmann/json.hpp>

#include "core/workspace/partition/advice.h"

namespace hilo {
namespace {

using nlohmann::json;

json endJson(const MoveEnd& end) {
  if (end.name.empty()) return nullptr;
  return {{"name", end.name},
          {"opcode", end.opcode},
          {"sharding", end.sharding},
          {"rule", end.rule},
          {"source", end.source}};
}

json causeJson(const MoveCause& cause) {
  return {{"text", cause.text},
          {"what", cause.what},
          {"producer", endJson(cause.producer)},
          {"consumer", endJson(cause.consumer)},
          {"from", cause.from},
          {"to", cause.to},
          {"lostAxes", cause.lostAxes}};
}

json adviceJson(const std::vector<ShardingAdvice>& advice) {
  json list = json::array();
  for (const ShardingAdvice& one : advice)
    list.push_back({{"text", one.text},
                    {"constraint", one.constraint.instruction + "=" + one.constraint.sharding},
                    {"code", one.code}});
  return list;
}

json collectivesJson(const Partitioning& partitioning) {
  json list = json::array();
  for (const PartitionCollective& row : partitioning.collectives) {
    list.push_back({{"name", row.name},
                    {"kind", row.kind},
                    {"shape", row.shape},
                    {"bytes", row.bytes},
                    {"times", row.times},
                    {"ns", row.ns},
                    {"exposedNs", row.exposedNs},
                    {"axes", row.axes},
                    {"groupSize", row.groupSize},
                    {"source", row.source},
                    {"cause", row.cause ? causeJson(*row.cause) : json(nullptr)},
                    {"advice", adviceJson(adviceFor(partitioning, row))}});
  }
  return list;
}

json reshardsJson(const Partitioning& partitioning) {
  json list = json::array();
  for (const Reshard& row : partitioning.reshards) {
    json names = json::array();
    for (const size_t i : row.collectives) names.push_back(partitioning.collectives[i].name);
    list.push_back({{"value", row.cause.producer.name},
                    {"consumer", row.cause.consumer.name},
                    {"from", row.cause.from},
                    {"to", row.cause.to},
                    {"bytes", row.bytes},
                    {"ns", row.ns},
                    {"exposedNs", row.exposedNs},
                    {"text", row.cause.text},
                    {"collectives", names}});
  }
  return list;
}

json replicationsJson(const Partitioning& partitioning) {
  json list = json::array();
  for (const Replication& row : partitioning.replications) {
    list.push_back({{"name", row.name},
                    {"opcode", row.opcode},
                    {"source", row.source},
                    {"shares", row.shares},
                    {"of", row.of},
                    {"wastedNs", row.wastedNs},
                    {"text", row.text},
                    {"advice", adviceJson(adviceFor(partitioning, row))}});
  }
  return list;
}

json meshJson(const DeviceMesh& mesh) {
  json axes = json::array();
  for (const DeviceMesh::Axis& axis : mesh.axes) axes.push_back({{"name", axis.name}, {"size", axis.size}});
  return {{"name", mesh.name}, {"axes", axes}, {"devices", mesh.devices.size()}};
}

}  // namespace

json partitioningJson(const Partitioning& partitioning) {
  json full = json::array();
  for (const FullRematerialization& row : partitioning.fullRematerializations)
    full.push_back({{"shape", row.shape}, {"bytes", row.bytes}, {"cause", causeJson(row.cause)}});
  const ScheduleMetrics& m = partitioning.metrics;
  return {{"module", std::string(partitioning.local->name())},
          {"mesh", meshJson(partitioning.mesh)},
          {"metrics",
           {{"makespanNs", m.makespanNs},
            {"exposedNs", m.exposedNs},
            {"communicationNs", m.communicationNs},
            {"computeNs", m.computeNs},
            {"peakBytes", m.peakBytes}}},
          {"collectives", collectivesJson(partitioning)},
          {"reshards", reshardsJson(partitioning)},
          {"fullRematerializations", full},
          {"replications", replicationsJson(partitioning)},
          {"notes", partitioning.notes}};
}

}  // namespace hilo
