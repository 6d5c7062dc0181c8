// Puts a scalar constant that a loop starts with and carries unchanged into its body and condition, so that
// both can be simplified with it. As xla/service/while_loop_constant_sinking.cc with
// sink_only_scalar_constants.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> sinkLoopConstants(Module& module, PassContext& context);

}  // namespace hilo
