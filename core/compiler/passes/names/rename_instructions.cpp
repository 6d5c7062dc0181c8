#include "core/compiler/passes/names/rename_instructions.h"

#include <fmt/format.h>

#include "core/analysis/call_graph.h"

namespace hilo {

Result<bool> addTrackingSuffixes(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : module.computations()) {
    if (!graph.runsInstructions(*computation)) continue;
    for (Instruction* instruction : computation->instructions()) {
      if (context.cancelled() || !context.mayChange(*instruction)) return changed;
      instruction->setName(module.uniqueName(fmt::format("{}.0", instruction->name())));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
