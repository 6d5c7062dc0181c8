// Replaces a conditional whose branch is known by that branch, and drops elements of its result that nothing
// reads. As xla/service/conditional_simplifier.cc, without its merging of equal operands.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyConditionals(Module& module, PassContext& context);

}  // namespace hilo
