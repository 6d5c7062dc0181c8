// Replaces a conditional whose branch is known by that branch, inlined unless the frontend attribute
// inlineable="false" forbids it, and drops what conditionals take and give for nothing. What has side
// effects, a control predecessor or a scheduling group stays. As xla/service/conditional_simplifier.cc,
// without its selects in place of cheap branches.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyConditionals(Module& module, PassContext& context);

}  // namespace hilo
