// Convolves truth values as f16, which libraries do: a sum that is not zero is true, and of f16 none wraps
// around to zero. As XLA's hlo/transforms/expanders/convolution_pred_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandPredConvolutions(Module& module, PassContext& context);

}  // namespace hilo
