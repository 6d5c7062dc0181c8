#include "core/compiler/passes/fusion/fusion_wrapper.h"

#include <fmt/format.h>

#include <vector>

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/make_fusion.h"

namespace hilo {
namespace {

bool isWrapped(const Instruction& i, const FusionWrapperSettings& settings) {
  if (i.opcode() == Opcode::Bitcast || (i.opcode() == Opcode::Copy && !settings.copies)) return false;
  const bool isWork = isFusibleInControlOrder(i) || i.opcode() == Opcode::Convolution;
  return isWork && (!i.users().empty() || i.isRoot());
}

Instruction* wrapped(Instruction& instruction, FusedRoots& roots) {
  Module& module = instruction.parent().module();
  const std::string name = fmt::format("wrapped_{}", instruction.opcodeText());
  const auto stated = instruction.get<Attr::ControlPredecessors>();
  const std::vector<Instruction*> before(stated.begin(), stated.end());
  instruction.erase(Attr::ControlPredecessors);
  Instruction* member = &instruction;
  Instruction* fusion = makeFusion({&member, 1}, roots);
  if (!before.empty()) fusion->set<Attr::ControlPredecessors>(std::span<Instruction* const>(before));
  fusion->setName(module.uniqueName(name));
  fusion->get<Attr::Calls>()->setName(module.uniqueName(name + "_computation"));
  return fusion;
}

bool wrapEach(Computation& computation, PassContext& context, const FusionWrapperSettings& settings) {
  FusedRoots roots;
  absl::flat_hash_map<const Instruction*, Instruction*> fusions;
  std::vector<Instruction*> inside;
  for (Instruction* instruction : computation.instructions()) {
    if (context.cancelled()) break;
    if (!isWrapped(*instruction, settings)) continue;
    if (!context.mayChange(*instruction)) break;
    inside.push_back(instruction);
    fusions[instruction] = wrapped(*instruction, roots);
  }
  redirectControlPredecessors(computation, fusions);
  for (Instruction* instruction : inside) computation.remove(instruction);
  return !inside.empty();
}

}  // namespace

Result<bool> wrapInFusions(Module& module, PassContext& context, const FusionWrapperSettings& settings) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (context.cancelled() || context.fuel().isSpent()) return changed;
    if (graph.runsInstructions(*computation)) changed |= wrapEach(*computation, context, settings);
  }
  return changed;
}

}  // namespace hilo
