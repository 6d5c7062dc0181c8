// Makes one all-gather of two whose results are combined element by element, where nothing else reads them.
// As xla/backends/gpu/transforms/collectives/all_gather_optimizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> optimizeAllGathers(Module& module, PassContext& context);

}  // namespace hilo
