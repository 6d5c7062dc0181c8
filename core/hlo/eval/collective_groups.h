// Which devices a collective joins: its group mode and its groups, as XLA's service/collective_ops_utils.cc
// reads them.
#pragma once

#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

// What the numbers in replica_groups and source_target_pairs stand for.
enum class DeviceGroupMode : uint8_t {
  CrossReplica,              // replicas; a group for each partition
  CrossPartition,            // partitions; a group for each replica
  CrossReplicaAndPartition,  // replicas, all partitions of each
  FlattenedId,               // devices
};
Result<DeviceGroupMode> groupModeOf(const Instruction& instruction);

// The devices of the group that `device` is in, in the group's order; empty when no group has it. Error kind
// "malformed-instruction" for numbers that are no devices of the grid or come twice.
Result<std::vector<int64_t>> groupOf(const Instruction& instruction, DeviceGrid grid, int64_t device);

// (source, target) devices of the source-target pairs among the replicas or partitions that `device` is one
// of, depending on the mode.
Result<std::vector<std::pair<int64_t, int64_t>>> pairsOf(const Instruction& instruction,
                                                         std::span<const std::span<const int64_t>> pairs,
                                                         DeviceGroupMode mode, DeviceGrid grid,
                                                         int64_t device);

}  // namespace hilo
