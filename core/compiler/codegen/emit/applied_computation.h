// Computations that an instruction applies to single elements, as a reduce or a map does.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// The first instruction of it, or of what it calls, that ElementEmitter::apply cannot write; null:
// there is none.
const Instruction* firstNotApplicable(const Computation& computation);

}  // namespace hilo
