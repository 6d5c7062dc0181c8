// Which devices of a grid take part in a collective together, from the numbers written in its replica_groups
// or source_target_pairs. What the numbers stand for: XLA's service/collective_ops_utils.cc.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {

enum class DeviceGroupMode : uint8_t {
  CrossReplica,              // replicas; a group for each partition
  CrossPartition,            // partitions; a group for each replica
  CrossReplicaAndPartition,  // replicas, all partitions of each
  FlattenedId,               // devices
};
inline constexpr int kDeviceGroupModeCount = 4;
// "cross_replica", ... as XLA calls them.
const char* deviceGroupModeName(DeviceGroupMode mode);

// The devices of the group that `device` is in, in the group's order; empty when no group has it. No groups
// at all: one of everybody. Error kind "malformed-instruction" for numbers that are no devices of the grid
// or come twice.
Result<std::vector<int64_t>> devicesOfGroup(DeviceGroupMode mode,
                                            std::span<const std::vector<int64_t>> groups, DeviceGrid grid,
                                            int64_t device);

// (source, target) devices of `pairs`, each two numbers, among the replicas or partitions that `device` is
// one of. Not for CrossReplicaAndPartition. The same error kind.
Result<std::vector<std::pair<int64_t, int64_t>>> devicesOfPairs(DeviceGroupMode mode,
                                                                std::span<const std::vector<int64_t>> pairs,
                                                                DeviceGrid grid, int64_t device);

}  // namespace hilo
