#include "core/compiler/passes/collectives/group_async_wrapper.h"

#include "core/analysis/async_op.h"
#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

void wrap(Instruction& call) {
  Module& module = call.module();
  Computation* group = cloneComputation(*call.get<Attr::ToApply>(), &call.parent());
  group->setName(module.uniqueName(fmt::format("{}.collectives_group", call.get<Attr::ToApply>()->name())));
  // A start in each group of the schedule: that of all of them.
  for (Instruction* inner : group->instructions()) setFrontendValue(*inner, "_scheduling_group_id", "");
  const AsyncPair pair = makeAsyncRunning(call, *group);
  setGpuConfig(*pair.done, "", "force_earliest_schedule", "false");
}

}  // namespace

Result<bool> wrapCollectiveGroups(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::Call || !frontendAttribute(*i, "_collectives_group")) continue;
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "wrapped", "its collectives begin together");
      wrap(*i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
