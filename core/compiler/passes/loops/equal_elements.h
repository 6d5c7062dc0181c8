// Elements of what a loop carries that need not be carried: those that are one constant in every iteration,
// and those that start and go on like another one. Their readers in the loop and behind it are given the
// constant, or the other element; the elements themselves stay, unread.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Whether some are read elsewhere now. Changes nothing where whyLoopIsFixed (loop_parts.h) says why.
Result<bool> readEqualElements(Instruction& loop, PassContext& context);

}  // namespace hilo
