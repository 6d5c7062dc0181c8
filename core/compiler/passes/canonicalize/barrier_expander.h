// Drops barriers of optimization, once nothing is moved over them any more. As XLA's
// hlo/transforms/expanders/optimization_barrier_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandBarriers(Module& module, PassContext& context);

}  // namespace hilo
