// Writes dots that give one number (or one a batch) as a multiplication and a sum. As XLA's
// backends/gpu/transforms/dot_strength_reduction.cc does for dots without free dimensions.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> reduceDotStrength(Module& module, PassContext& context);

}  // namespace hilo
