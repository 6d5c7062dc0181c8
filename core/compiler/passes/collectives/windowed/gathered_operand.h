// An all-gather of what a windowed loop passes round: the loop sees every part, so it can put them together.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Dots that read an all-gather of the loop's first element as it starts (stored in an 8-bit float and scaled
// or not) read a new element of the loop instead, in which each iteration writes the parts it holds; the
// all-gathers go. The body must hand the element on by permutes that give everyone the part of the next
// partition, all n parts within its trips; all n partitions make one group, and the counter starts at 0 and
// counts the permutes. Remarks: "gathered" where it is done, "missed" with the reason where an all-gather
// stays. Error kind "module-too-large".
Result<bool> gatherInLoop(Instruction& loop, PassContext& context);

}  // namespace hilo
