// Names fusions after what they are about: loop_add_fusion calls fused_add, input_reduce_fusion calls
// fused_reduce. As XLA's backends/gpu/transforms/rename_fusions.cc. Custom fusions keep their names.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> renameFusions(Module& module, PassContext& context);

}  // namespace hilo
