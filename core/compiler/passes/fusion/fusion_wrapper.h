// Puts every instruction that would be a kernel of its own into a fusion: wrapped_add calls
// wrapped_add_computation. Bitcasts and copies stay. As XLA's backends/gpu/transforms/fusion_wrapper.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> wrapInFusions(Module& module, PassContext& context);

}  // namespace hilo
