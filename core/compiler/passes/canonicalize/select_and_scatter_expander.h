// Writes select-and-scatter as a reduce-window, which finds the place that each window selects, and a scatter
// of the source to these places. As XLA's service/select_and_scatter_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandSelectAndScatters(Module& module, PassContext& context);

}  // namespace hilo
