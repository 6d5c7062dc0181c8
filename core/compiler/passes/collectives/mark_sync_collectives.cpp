#include "core/compiler/passes/collectives/mark_sync_collectives.h"

#include "core/analysis/async_op.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

// Starts and dones of other collectives are no work that hides this one.
const Instruction* workBetween(const Instruction& start, const Instruction& done) {
  for (const Instruction* i = start.next(); i != nullptr && i != &done; i = i->next()) {
    const CanonicalAsyncOp op = canonicalAsyncOp(*i, /*p2pIsAsync=*/false);
    const bool isCollective = op.role != AsyncRole::None && isCollectiveCommunication(op.inner);
    if (!isCollective && !isNopForScheduling(*i)) return i;
  }
  return nullptr;
}

}  // namespace

Result<bool> markUnhiddenCollectives(Module& module, PassContext& context) {
  if (!module.isScheduled())
    return fail("not-scheduled", "what runs between a start and its done is known of scheduled modules");
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* done : computation->instructions()) {
      if (context.cancelled()) return changed;
      const CanonicalAsyncOp op = canonicalAsyncOp(*done, false);
      if (op.role != AsyncRole::Done || !isCollectiveCommunication(op.inner) || done->operandCount() == 0)
        continue;
      Instruction& start = *done->operand(0);
      if (const Instruction* between = workBetween(start, *done)) {
        context.remark(*done, "missed",
                       fmt::format("stays asynchronous: %{} runs meanwhile", between->name()));
        continue;
      }
      if (isSyncCollective(start)) continue;
      if (!context.mayChange(start)) return changed;
      changed |= setGpuConfig(start, "collective_backend_config", "is_sync", "true");
    }
  }
  return changed;
}

}  // namespace hilo
