// Makes one kernel of reductions over arrays of one shape that one instruction reads, so that they are
// launched together. XLA had it by this name until autumn 2025
// (service/gpu/transforms/horizontal_input_fusion.cc).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseReductionsHorizontally(Module& module, PassContext& context);

}  // namespace hilo
