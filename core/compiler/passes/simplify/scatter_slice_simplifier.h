// Scatters only into what is read of the result: where all who read it, elementwise work in between or not,
// take the same leading elements along dimensions in which an update is one element, the scatter and that
// work are done of these alone. As XLA's backends/gpu/transforms/scatter_slice_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifySlicesOfScatters(Module& module, PassContext& context);

}  // namespace hilo
