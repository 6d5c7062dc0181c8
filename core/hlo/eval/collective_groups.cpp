#include "core/hlo/eval/collective_groups.h"

#include <algorithm>
#include <numeric>

#include "core/hlo/eval/eval_context.h"

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

bool takesGlobalIds(Opcode opcode) {
  switch (opcode) {
    case Opcode::AllGather:
    case Opcode::AllGatherStart:
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
    case Opcode::ReduceScatter:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<DeviceGroupMode> groupModeOf(const Instruction& instruction) {
  const bool hasChannel = instruction.get<Attr::ChannelId>().value_or(0) > 0;
  if (!takesGlobalIds(instruction.opcode()))
    return hasChannel ? DeviceGroupMode::CrossPartition : DeviceGroupMode::CrossReplica;
  const bool global = instruction.get<Attr::UseGlobalDeviceIds>().value_or(false);
  if (hasChannel) return global ? DeviceGroupMode::FlattenedId : DeviceGroupMode::CrossReplicaAndPartition;
  EVAL_REQUIRE(!global, "use_global_device_ids needs a channel_id");
  return DeviceGroupMode::CrossReplica;
}

Result<std::vector<int64_t>> groupOf(const Instruction& instruction, DeviceGrid grid, int64_t device) {
  TRY(const DeviceGroupMode mode, groupModeOf(instruction));
  const int64_t limit = limitOf(mode, grid), number = numberOf(mode, grid, device);
  std::vector<std::vector<int64_t>> groups;
  if (const ReplicaGroups* written = instruction.get<Attr::ReplicaGroups>())
    groups = expandReplicaGroups(*written);
  if (groups.empty()) {
    EVAL_REQUIRE(mode != DeviceGroupMode::FlattenedId, "global device ids need groups written out");
    groups.emplace_back(static_cast<size_t>(limit));
    std::iota(groups[0].begin(), groups[0].end(), 0);
  }
  for (const auto& group : groups) {
    if (std::ranges::find(group, number) == group.end()) continue;
    std::vector<int64_t> devices;
    for (const int64_t member : group) {
      EVAL_REQUIRE(member >= 0 && member < limit, "replica_groups names a device that is not there");
      EVAL_REQUIRE(std::ranges::count(group, member) == 1, "replica_groups names a device twice");
      if (mode != DeviceGroupMode::CrossReplicaAndPartition) {
        devices.push_back(deviceOf(mode, grid, member, device));
        continue;
      }
      for (int64_t p = 0; p < grid.partitions; ++p) devices.push_back(member * grid.partitions + p);
    }
    return devices;
  }
  return std::vector<int64_t>{};
}

Result<std::vector<std::pair<int64_t, int64_t>>> pairsOf(const Instruction& instruction,
                                                         std::span<const std::span<const int64_t>> pairs,
                                                         DeviceGroupMode mode, DeviceGrid grid,
                                                         int64_t device) {
  const int64_t limit = limitOf(mode, grid);
  const auto inRange = [&](int64_t id) { return id >= 0 && id < limit; };
  std::vector<std::pair<int64_t, int64_t>> devices;
  std::vector<bool> sends(static_cast<size_t>(limit)), receives(static_cast<size_t>(limit));
  for (const auto& pair : pairs) {
    EVAL_REQUIRE(pair.size() == 2 && inRange(pair[0]) && inRange(pair[1]),
                 "source_target_pairs names a device that is not there");
    EVAL_REQUIRE(!sends[static_cast<size_t>(pair[0])] && !receives[static_cast<size_t>(pair[1])],
                 "source_target_pairs names a source or target twice");
    sends[static_cast<size_t>(pair[0])] = receives[static_cast<size_t>(pair[1])] = true;
    devices.emplace_back(deviceOf(mode, grid, pair[0], device), deviceOf(mode, grid, pair[1], device));
  }
  return devices;
}

}  // namespace hilo
