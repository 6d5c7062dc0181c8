// Comparisons in the body of a loop that come out the same in every iteration, by the range of values that
// the counter goes through, become constants. As xla/service/while_loop_simplifier.cc with
// simplify_compare_instrs.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

bool decideCompares(Instruction& loop, PassContext& context);

}  // namespace hilo
