// Sums that a written-out windowed loop adds up dot by dot.
#pragma once

#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {

// Where an element of a loop that runs once is what it starts with plus two dots or more, the loop gives the
// dots one above the other instead, and one reduce behind it adds them up: no dot waits for another's sum.
// Gives how many elements it changed.
int64_t moveSumsBehindLoop(LoopParts& parts);

}  // namespace hilo
