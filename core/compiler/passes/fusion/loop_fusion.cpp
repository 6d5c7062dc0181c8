#include "core/compiler/passes/fusion/loop_fusion.h"

#include "core/analysis/call_graph.h"
#include "core/compiler/passes/fusion/fusion_plan.h"
#include "core/compiler/passes/fusion/make_fusion.h"

namespace hilo {

Result<bool> fuseLoops(Module& module, PassContext& context, const EngineCosts& costs) {
  TRY(const CallGraph graph, CallGraph::build(module));
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : computations) {
    if (context.cancelled()) return changed;
    if (!graph.runsInstructions(*computation)) continue;
    const FusionPlan plan = planLoopFusion(*computation, costs);
    FusedRoots roots;
    for (const FusionGroup& group : plan.groups) {
      if (!context.mayChange(group.root())) break;
      makeFusion(group.members, roots);
      changed = true;
    }
    if (context.fuel().isSpent()) return changed;
    for (const FusionVerdict& verdict : plan.verdicts)
      context.remark(*verdict.instruction, verdict.fused ? "fused" : "missed", verdict.reason);
  }
  return changed;
}

}  // namespace hilo
