// Which instructions of a computation become one kernel, found greedily by the time each step saves.
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/fusion/fusion_cost.h"

namespace hilo {

// Kernels of two instructions or more: members with users before their operands, the stored value first; in
// the order of their stored values. Fuel is asked of each value that is fused.
std::vector<std::vector<Instruction*>> planPriorityFusion(const Computation& computation,
                                                          PassContext& context, const GpuRates& rates);

}  // namespace hilo
