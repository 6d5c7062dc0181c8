// Makes one dimension of neighbours that are reduced together. As XLA's
// backends/gpu/transforms/reduction_dimension_grouper.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> groupReductionDims(Module& module, PassContext& context);

}  // namespace hilo
