// Makes two reductions of one over dimensions that lie apart: first the largest alone, so that each goes
// over neighbours. Dimensions of 8 and less are left to one kernel. As
// xla/backends/gpu/transforms/reduction_splitter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> splitReductionDimensions(Module& module, PassContext& context);

}  // namespace hilo
