// Makes one kernel of reductions over arrays of one shape that one instruction reads, so that they are
// launched together. XLA had it until autumn 2025 (service/gpu/transforms/horizontal_input_fusion.cc), by
// this name.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseReductionsHorizontally(Module& module, PassContext& context);

}  // namespace hilo
