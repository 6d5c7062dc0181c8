#include "core/compiler/passes/schedule/latency_hiding_pass.h"

#include "core/compiler/passes/schedule/order_fuel.h"
#include "core/compiler/schedule/latency_hiding_scheduler.h"

namespace hilo {

Result<bool> runLatencyHidingScheduler(Module& module, PassContext& context, const SchedulerConfig& config) {
  const OrderFuel orders(module);
  TRY(const LatencyHidingResult result, scheduleToHideLatency(module, {.config = config}));
  if (!orders.settle(module, context)) return false;
  if (module.entry() != nullptr && module.entry()->root() != nullptr && result.changed)
    context.remark(*module.entry()->root(), "scheduled", fmt::format("peak {} bytes", result.peakBytes));
  return result.changed;
}

}  // namespace hilo
