// Writes all-reduces of few elements as an all-gather that every device then reduces by itself. As XLA's
// backends/gpu/transforms/collectives/all_reduce_decomposer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> decomposeAllReduces(Module& module, PassContext& context);

}  // namespace hilo
