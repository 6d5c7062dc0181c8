// What conditionals take and give for nothing: elements of an operand that the branch does not read, elements
// of the result that nobody reads, and those that equal another one in every branch. A branch that changes
// becomes the conditional's own. As the parts of xla/service/conditional_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// False: there is none, or the fuel is spent, and nothing has changed.
bool dropUnreadOperands(Instruction& conditional, PassContext& context);
bool dropUnreadResults(Instruction& conditional, PassContext& context);
bool mergeEqualResults(Instruction& conditional, PassContext& context);

}  // namespace hilo
