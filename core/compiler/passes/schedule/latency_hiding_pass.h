// Moves starts away from their dones so that work hides asynchronous operations, with the uniform cost model
// and the settings of the backend the module was made for (core/compiler/schedule/
// latency_hiding_scheduler.h). The module must be scheduled. `hilo schedule` has the settings.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> runLatencyHidingScheduler(Module& module, PassContext& context);

}  // namespace hilo
