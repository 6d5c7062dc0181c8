// The values a walk has of a computation, as a list.
#pragma once

#include "core/workspace/values/instruction_values.h"
#include "core/workspace/values/value_walk.h"

namespace hilo {

// In the order of the computation; instructions that only take tuples apart or put them together
// are left out.
std::vector<InstructionValue> listValues(const Computation& computation, const ValueWalk::Values& values);

}  // namespace hilo
