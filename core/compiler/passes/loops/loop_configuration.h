// The backend configuration of a loop as XLA's WhileLoopBackendConfig has it, told from its computations.
#pragma once

#include <string>

#include "core/analysis/while_loop.h"

namespace hilo {

// JSON text; "" where nothing counts. `counter` is the loop's induction variable, if its trips are known:
// else the element that counts is still named, where the condition compares it.
std::string loopConfiguration(const Instruction& loop, const std::optional<InductionVariable>& counter);

// Says of a loop whose iterations do two each what its configuration said of it before: `trips` now, values
// that move by twice as much, from one step later where the first iteration runs in front. What it did not
// say stays unsaid.
void doubleSteps(Instruction& loop, int64_t trips, bool isFirstInFront);
// The same of how often it runs alone.
void stateTrips(Instruction& loop, int64_t trips);

}  // namespace hilo
