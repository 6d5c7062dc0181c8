#include "core/compiler/passes/schedule/memory_scheduler_pass.h"

#include "core/compiler/passes/schedule/order_fuel.h"
#include "core/compiler/schedule/memory_scheduler.h"

namespace hilo {
namespace {

Result<bool> schedule(Module& module, PassContext& context, MemorySchedulerKind kind) {
  const OrderFuel orders(module);
  TRY(const MemoryScheduleResult result, scheduleForMemory(module, kind));
  if (!orders.settle(module, context)) return false;
  if (module.entry() != nullptr && module.entry()->root() != nullptr) {
    context.remark(
        *module.entry()->root(), "scheduled",
        fmt::format("{} order, peak {} bytes", memorySchedulerName(result.chosen), result.peakBytes));
  }
  return result.changed;
}

}  // namespace

Result<bool> runMemoryScheduler(Module& module, PassContext& context) {
  return schedule(module, context, MemorySchedulerKind::Best);
}
Result<bool> runListScheduler(Module& module, PassContext& context) {
  return schedule(module, context, MemorySchedulerKind::List);
}
Result<bool> runDepthFirstScheduler(Module& module, PassContext& context) {
  return schedule(module, context, MemorySchedulerKind::DepthFirst);
}
Result<bool> runPostOrderScheduler(Module& module, PassContext& context) {
  return schedule(module, context, MemorySchedulerKind::PostOrder);
}

}  // namespace hilo
