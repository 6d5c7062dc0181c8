// The backend configuration of a loop as XLA's WhileLoopBackendConfig has it, told from its computations.
#pragma once

#include <string>

#include "core/analysis/while_loop.h"

namespace hilo {

// JSON text; "" where nothing counts. `counter` is the loop's induction variable, if its trips are known:
// else the element that counts is still named, where the condition compares it.
std::string loopConfiguration(const Instruction& loop, const std::optional<InductionVariable>& counter);

}  // namespace hilo
