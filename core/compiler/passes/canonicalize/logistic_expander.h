// Writes logistic(x) as 1 / (1 + exp(-x)). As XLA's hlo/transforms/expanders/logistic_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandLogistics(Module& module, PassContext& context);

}  // namespace hilo
