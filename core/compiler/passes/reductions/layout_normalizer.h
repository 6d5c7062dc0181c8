// Writes a reduction of an array in another order as one of the same bytes in row-major order; the result
// keeps its order by a bitcast. As xla/backends/gpu/transforms/reduction_layout_normalizer.cc, which refuses
// arrays in different orders: those stay here.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> normalizeReductionLayouts(Module& module, PassContext& context);

}  // namespace hilo
