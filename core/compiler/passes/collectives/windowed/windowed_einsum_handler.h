// Dots whose operands or results go round among the devices while parts of them are computed, made ready to
// overlap. Of loops that the partitioner names windowed_dot_general_body_ag (an operand is gathered) or _rs
// (the result is scattered) that do two dots or more:
// - scaling of 8-bit floats moves into the loop (scaled_operand.h);
// - all-gathers of what the loop passes round are read from the loop (gathered_operand.h);
// - all iterations are written out in one, which stays a loop of its own so that nothing else is fused with
//   it; dots get a queue each, the first permute starts as early as it can;
// - dots that are added up are stacked and summed behind the loop (loop_sums.h), of loops that gather.
// With alltoall_windowed_einsum, an all-to-all before or behind a dot becomes one for each device of a group
// (split_all_to_all.h). Behaves like XLA's backends/gpu/transforms/windowed_einsum_handler.cc, but: offsets
// are computed and not looked up, a sum may start at any value, and loops are left whole where the result
// would not be the same.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct WindowedEinsumSettings {
  bool splitAllToAll = false;
};
// Remarks: "unrolled", "gathered", "split", "scaled", and "missed" with the reason. Error kinds:
// "already-scheduled", "module-too-large", "malformed-module".
Result<bool> handleWindowedEinsums(Module& module, PassContext& context,
                                   const WindowedEinsumSettings& settings = {});

}  // namespace hilo
