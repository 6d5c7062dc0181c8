#include "core/hlo/ir/device_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace hilo {
namespace {

int64_t limitOf(DeviceGroupMode mode, DeviceGrid grid) {
  switch (mode) {
    case DeviceGroupMode::CrossReplica:
    case DeviceGroupMode::CrossReplicaAndPartition:
      return grid.replicas;
    case DeviceGroupMode::CrossPartition:
      return grid.partitions;
    case DeviceGroupMode::FlattenedId:
      return grid.count();
  }
  return 0;
}

// The number that a group names `device` by.
int64_t numberOf(DeviceGroupMode mode, DeviceGrid grid, int64_t device) {
  switch (mode) {
    case DeviceGroupMode::CrossReplica:
    case DeviceGroupMode::CrossReplicaAndPartition:
      return device / grid.partitions;
    case DeviceGroupMode::CrossPartition:
      return device % grid.partitions;
    case DeviceGroupMode::FlattenedId:
      return device;
  }
  return 0;
}

// The device that `number` names where `device` stands in the same row. Not for CrossReplicaAndPartition,
// where it names several.
int64_t deviceOf(DeviceGroupMode mode, DeviceGrid grid, int64_t number, int64_t device) {
  if (mode == DeviceGroupMode::CrossReplica) return number * grid.partitions + device % grid.partitions;
  if (mode == DeviceGroupMode::CrossPartition) return device - device % grid.partitions + number;
  return number;
}

std::unexpected<Diagnostic> malformed(const char* message) { return fail("malformed-instruction", message); }

std::unexpected<Diagnostic> notThere(const char* attribute, int64_t number, DeviceGroupMode mode,
                                     int64_t limit) {
  const bool byReplica = mode == DeviceGroupMode::CrossReplica ||  //
                         mode == DeviceGroupMode::CrossReplicaAndPartition;
  const char* kind = byReplica ? "replica" : mode == DeviceGroupMode::CrossPartition ? "partition" : "device";
  std::vector<std::string> remedies = {
      "replica_count and num_partitions in the module's first line say how many there are"};
  if (mode == DeviceGroupMode::CrossReplica)
    remedies.emplace_back("an instruction without a channel_id talks to replicas, not to partitions");
  return fail("malformed-instruction",
              fmt::format("{} names {} {}, of which there {} {}", attribute, kind, number,
                          limit == 1 ? "is" : "are", limit),
              {}, std::move(remedies));
}

}  // namespace

const char* deviceGroupModeName(DeviceGroupMode mode) {
  switch (mode) {
    case DeviceGroupMode::CrossReplica:
      return "cross_replica";
    case DeviceGroupMode::CrossPartition:
      return "cross_partition";
    case DeviceGroupMode::CrossReplicaAndPartition:
      return "cross_replica_and_partition";
    case DeviceGroupMode::FlattenedId:
      return "flattened_id";
  }
  return "";
}

Result<std::vector<int64_t>> devicesOfGroup(DeviceGroupMode mode,
                                            std::span<const std::vector<int64_t>> groups, DeviceGrid grid,
                                            int64_t device) {
  const int64_t limit = limitOf(mode, grid), number = numberOf(mode, grid, device);
  std::vector<int64_t> all;
  const std::vector<int64_t>* mine = nullptr;
  if (groups.empty()) {
    if (mode == DeviceGroupMode::FlattenedId) return malformed("global device ids need groups written out");
    all.resize(static_cast<size_t>(limit));
    std::iota(all.begin(), all.end(), 0);
    mine = &all;
  }
  for (const std::vector<int64_t>& group : groups) {
    if (mine == nullptr && std::ranges::find(group, number) != group.end()) mine = &group;
  }
  std::vector<int64_t> devices;
  if (mine == nullptr) return devices;
  for (const int64_t member : *mine) {
    if (member < 0 || member >= limit) return notThere("replica_groups", member, mode, limit);
    if (std::ranges::count(*mine, member) != 1) return malformed("replica_groups names a device twice");
    if (mode != DeviceGroupMode::CrossReplicaAndPartition) {
      devices.push_back(deviceOf(mode, grid, member, device));
      continue;
    }
    for (int64_t p = 0; p < grid.partitions; ++p) devices.push_back(member * grid.partitions + p);
  }
  return devices;
}

Result<std::vector<std::pair<int64_t, int64_t>>> devicesOfPairs(DeviceGroupMode mode,
                                                                std::span<const std::vector<int64_t>> pairs,
                                                                DeviceGrid grid, int64_t device) {
  const int64_t limit = limitOf(mode, grid);
  std::vector<std::pair<int64_t, int64_t>> devices;
  std::vector<bool> sends(static_cast<size_t>(limit)), receives(static_cast<size_t>(limit));
  for (const std::vector<int64_t>& pair : pairs) {
    if (pair.size() != 2) return malformed("source_target_pairs holds a list that is no pair");
    for (const int64_t id : pair) {
      if (id < 0 || id >= limit) return notThere("source_target_pairs", id, mode, limit);
    }
    const auto source = static_cast<size_t>(pair[0]), target = static_cast<size_t>(pair[1]);
    if (sends[source] || receives[target])
      return malformed("source_target_pairs names a source or target twice");
    sends[source] = receives[target] = true;
    devices.emplace_back(deviceOf(mode, grid, pair[0], device), deviceOf(mode, grid, pair[1], device));
  }
  return devices;
}

}  // namespace hilo
