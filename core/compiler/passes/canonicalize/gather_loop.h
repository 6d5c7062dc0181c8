// A gather as a loop over its windows: each iteration cuts one out of the array and puts it into the result.
// As xla/service/gather_expander.cc in its mode for all gathers.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Arrays in row-major order that are not empty, and indices that s64 holds.
bool canBeGatherLoop(const Instruction& gather);
// The value to use instead, made in front of the gather. What the loop carries is the count, the array, the
// list of index vectors, and the list of windows.
Instruction* gatherLoop(Instruction& gather);

}  // namespace hilo
