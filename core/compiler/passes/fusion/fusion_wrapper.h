// Puts every instruction that would be a kernel of its own into a fusion: wrapped_add calls
// wrapped_add_computation, in the same control order. Bitcasts stay, and so do copies unless asked. As XLA's
// backends/gpu/transforms/fusion_wrapper.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct FusionWrapperSettings {
  bool copies = false;  // as XLA did until 2025
};
Result<bool> wrapInFusions(Module& module, PassContext& context, const FusionWrapperSettings& settings = {});

}  // namespace hilo
