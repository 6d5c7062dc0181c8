#include "core/compiler/passes/fusion/loop_fusion.h"

#include <ranges>

#include "core/analysis/call_graph.h"
#include "core/analysis/fusion_hero.h"
#include "core/compiler/passes/fusion/fusion_plan.h"

namespace hilo {
namespace {

using RootOf = absl::flat_hash_map<const Instruction*, const Instruction*>;

// The body of one fusion while it is filled.
struct Body {
  Computation* computation;
  const RootOf& rootOf;
  std::vector<Instruction*> operands;  // of the fusion, by parameter number
  absl::flat_hash_map<const Instruction*, Instruction*> inner;

  // A value that is stored for others too may be computed here all the same.
  Instruction* of(Instruction* outer) {
    if (const auto root = rootOf.find(outer); root != rootOf.end()) {
      if (const auto copy = inner.find(root->second); copy != inner.end()) return copy->second;
    }
    const auto [found, isNew] = inner.try_emplace(outer, nullptr);
    if (isNew) {
      operands.push_back(outer);
      found->second = computation->createParameter(static_cast<int64_t>(operands.size() - 1), outer->shape());
    }
    return found->second;
  }
};

std::string fusionName(const Computation& fused) {
  std::string name(fusionHero(fused)->opcodeText());
  std::ranges::replace(name, '-', '_');
  return name + "_fusion";
}

// rootOf: for each fusion that was made, the instruction whose value it stores.
void fuse(const FusionGroup& group, RootOf& rootOf) {
  Instruction& root = group.root();
  Computation& outer = root.parent();
  Module& module = outer.module();
  Body body{module.createComputation(module.uniqueName("fused_computation"), &outer), rootOf, {}, {}};
  bool reduces = false;
  for (Instruction* member : group.members | std::views::reverse) {
    std::vector<Instruction*> operands;
    for (Instruction* operand : member->operands()) operands.push_back(body.of(operand));
    Instruction* copy = body.computation->createLike(*member, operands);
    body.inner[member] = copy;
    body.computation->setRoot(copy);
    reduces |= member->opcode() == Opcode::Reduce;
  }
  Instruction* fusion = outer.create(Opcode::Fusion, root.shape(), body.operands,
                                     module.uniqueName(fusionName(*body.computation)), &root);
  fusion->set<Attr::FusionKindKind>(reduces ? FusionKind::Input : FusionKind::Loop);
  fusion->set<Attr::Calls>(body.computation);
  if (const OpMetadata* metadata = root.get<Attr::Metadata>()) fusion->set<Attr::Metadata>(metadata);
  outer.replaceAllUses(&root, fusion);
  rootOf[fusion] = &root;
}

}  // namespace

Result<bool> fuseLoops(Module& module, PassContext& context, const EngineCosts& costs) {
  TRY(const CallGraph graph, CallGraph::build(module));
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : computations) {
    if (context.cancelled()) return changed;
    if (!graph.runsInstructions(*computation)) continue;
    const FusionPlan plan = planLoopFusion(*computation, costs);
    RootOf rootOf;
    for (const FusionGroup& group : plan.groups) {
      if (!context.mayChange(group.root())) break;
      fuse(group, rootOf);
      changed = true;
    }
    if (context.fuel().isSpent()) return changed;
    for (const FusionVerdict& verdict : plan.verdicts)
      context.remark(*verdict.instruction, verdict.fused ? "fused" : "missed", verdict.reason);
  }
  return changed;
}

}  // namespace hilo
