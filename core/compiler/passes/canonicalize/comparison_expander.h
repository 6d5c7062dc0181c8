// Compares bf16 as f32, which holds the same numbers. As XLA's
// hlo/transforms/expanders/comparison_expander.cc with the types it is given for GPUs; total order stays.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandComparisons(Module& module, PassContext& context);

}  // namespace hilo
