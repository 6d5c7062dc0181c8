// Parameters of a computation that was read from outside.
#pragma once

#include <span>

#include "core/hlo/ir/computation.h"

namespace hilo {

// Registers all of a computation's parameter instructions, once it is whole: those numbered below how many
// there are, so that what a file says of a number costs no memory. The verifier reports the others.
void registerParameters(Computation& computation, std::span<Instruction* const> parameters);

}  // namespace hilo
