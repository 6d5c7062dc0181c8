// Takes dimensions of size 1 out of what is reduced, by reshapes around it. As XLA's
// backends/gpu/transforms/reduction_degenerate_dim_remover.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> removeDegenerateReductionDims(Module& module, PassContext& context);

}  // namespace hilo
