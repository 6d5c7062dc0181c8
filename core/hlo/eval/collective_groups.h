// Which devices a collective joins: its group mode and its groups (hlo/ir/device_groups.h).
#pragma once

#include "core/hlo/eval/evaluate.h"
#include "core/hlo/ir/device_groups.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

// What the numbers in replica_groups and source_target_pairs stand for. As XLA has it, a channel_id that is
// written counts, 0 too but for an all-reduce's; use_global_device_ids without one is malformed.
Result<DeviceGroupMode> groupModeOf(const Instruction& instruction);

// devicesOfGroup and devicesOfPairs of an instruction, which errors then name.
Result<std::vector<int64_t>> groupOf(const Instruction& instruction, DeviceGrid grid, int64_t device);
Result<std::vector<std::pair<int64_t, int64_t>>> pairsOf(const Instruction& instruction,
                                                         std::span<const std::vector<int64_t>> pairs,
                                                         DeviceGroupMode mode, DeviceGrid grid,
                                                         int64_t device);

// The pairs of a send or recv, written in a frontend attribute as XLA's collective-permute-decomposer does
// ("{{0,1},{1,2}}"); nullopt when it has none.
Result<std::optional<std::vector<std::vector<int64_t>>>> sendRecvPairs(const Instruction& instruction);

}  // namespace hilo
