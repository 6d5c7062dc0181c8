// Replaces a collective among groups of one device by its operand, and an all-reduce among replicas of a
// value that is the same everywhere by what it comes to. As xla/service/all_reduce_simplifier.cc; the same
// everywhere is what is computed from constants alone.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyAllReduces(Module& module, PassContext& context);

}  // namespace hilo
