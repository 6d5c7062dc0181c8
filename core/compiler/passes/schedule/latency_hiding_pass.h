// Moves starts away from their dones so that work hides asynchronous operations, with the uniform cost model
// and, where nothing is set, the settings of the backend the module was made for (core/compiler/schedule/
// latency_hiding_scheduler.h). The module must be scheduled.
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/schedule/scheduler_config.h"

namespace hilo {

Result<bool> runLatencyHidingScheduler(Module& module, PassContext& context, const SchedulerConfig& config);

}  // namespace hilo
