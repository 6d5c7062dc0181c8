#include "core/compiler/passes/fusion/fusion_wrapper.h"

#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/make_fusion.h"

namespace hilo {
namespace {

bool isWrapped(const Instruction& i, const FusionWrapperSettings& settings) {
  if (i.opcode() == Opcode::Bitcast || (i.opcode() == Opcode::Copy && !settings.copies)) return false;
  return isFusible(i) && (!i.users().empty() || i.isRoot());
}

}  // namespace

Result<bool> wrapInFusions(Module& module, PassContext& context, const FusionWrapperSettings& settings) {
  TRY(const CallGraph graph, CallGraph::build(module));
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : computations) {
    if (!graph.runsInstructions(*computation)) continue;
    FusedRoots roots;
    for (Instruction* instruction : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isWrapped(*instruction, settings)) continue;
      if (!context.mayChange(*instruction)) return changed;
      const std::string name = fmt::format("wrapped_{}", instruction->opcodeText());
      Instruction* fusion = makeFusion({&instruction, 1}, roots);
      fusion->setName(module.uniqueName(name));
      fusion->get<Attr::Calls>()->setName(module.uniqueName(name + "_computation"));
      computation->remove(instruction);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
