// Makes a reduce-scatter of an all-reduce of which each device keeps its own part: a dynamic-slice along one
// dimension whose offset is, on every device of the module, the device's place in its group times the size of
// the part. A reshape may stand between. As XLA's backends/gpu/transforms/reduce_scatter_creator.cc; XLA
// looks for certain forms of the offset, here it is worked out for every device.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> createReduceScatters(Module& module, PassContext& context);

// Whether the slice and the all-reduce that it cuts become one.
bool becomesReduceScatter(const Instruction& slice);

}  // namespace hilo
