#include "core/compiler/passes/fusion/priority_fusion.h"

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/fusion/make_fusion.h"
#include "core/compiler/passes/fusion/priority_plan.h"
#include "core/compiler/passes/fusion/tile_fusions.h"

namespace hilo {

Result<bool> fuseByPriority(Module& module, PassContext& context, const GpuRates& rates) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (context.cancelled() || context.fuel().isSpent()) return changed;
    if (!graph.runsInstructions(*computation)) continue;
    changed |= growTileFusions(*computation, context);
    FusedRoots roots;
    for (const std::vector<Instruction*>& members : planPriorityFusion(*computation, context, rates)) {
      makeFusion(members, roots);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
