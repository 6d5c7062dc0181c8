#include "core/compiler/passes/memory/async_slice_copies.h"

#include "core/analysis/call_graph.h"
#include "core/analysis/slice_copy_fusion.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"

namespace hilo {

Result<bool> makeSliceCopiesAsync(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (!graph.runsInstructions(*computation)) continue;
    for (Instruction* fusion : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isDynamicSliceCopyFusion(*fusion) || fusion->has(Attr::ControlPredecessors)) continue;
      if (!context.mayChange(*fusion)) return changed;
      const Shape context32[] = {Shape::scalar(ElementType::U32)};
      const AsyncPair pair = wrappedAsync(*fusion, context32);
      context.remark(*fusion, "wrapped", fmt::format("starts as %{}", pair.start->name()));
      computation->replaceAllUses(fusion, pair.done);
      computation->remove(fusion);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
