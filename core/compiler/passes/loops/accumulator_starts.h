// Loops that fill an array slice by slice start from one whose contents are left open, where they now start
// from one number everywhere: nothing of that is left at the end, and no iteration reads it. The kernel that
// writes the number goes. As XLA's backends/gpu/transforms/dus_accumulator_zero_init_elimination.cc; unlike
// there, who reads the array while it is being filled keeps its start.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> dropAccumulatorStarts(Module& module, PassContext& context);

}  // namespace hilo
