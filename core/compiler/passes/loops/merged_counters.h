// Counters of a loop written as what they start at and one counter from zero by ones.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Whether there were some: at least two scalars of one type that move by a constant. What they start at is
// carried in their place; a counter that goes from zero by ones serves for the others, and is made where
// there is none. A loop whose trip count is told from another counter stays.
Result<bool> mergeCounters(Instruction& loop, PassContext& context);

}  // namespace hilo
