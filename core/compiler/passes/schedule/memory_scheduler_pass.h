// Gives every computation an order that keeps few bytes live: the best of the list, depth-first and
// post-order schedulers (core/compiler/schedule/memory_scheduler.h). XLA's HloMemoryScheduler.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> runMemoryScheduler(Module& module, PassContext& context);
// Each of the three alone.
Result<bool> runListScheduler(Module& module, PassContext& context);
Result<bool> runDepthFirstScheduler(Module& module, PassContext& context);
Result<bool> runPostOrderScheduler(Module& module, PassContext& context);

}  // namespace hilo
