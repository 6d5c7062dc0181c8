#include "core/compiler/codegen/cpu/choices/fuse_dot_chains.h"

#include "core/compiler/codegen/cpu/choices/dot_chain.h"

namespace hilo {
namespace {

void fuse(const DotChain& chain) {
  Computation& outer = chain.middle->parent();
  Module& module = outer.module();
  Computation* fused = module.createComputation(module.uniqueName("dot_chain"), &outer);
  absl::flat_hash_map<const Instruction*, Instruction*> inner;
  std::vector<Instruction*> operands;
  const auto members = {chain.before, chain.middle, chain.after};
  const auto isMember = [&](const Instruction* i) { return std::ranges::find(members, i) != members.end(); };
  for (const Instruction* member : members) {
    for (Instruction* operand : member->operands()) {
      if (isMember(operand) || inner.contains(operand)) continue;
      inner[operand] = fused->createParameter(static_cast<int64_t>(operands.size()), operand->shape());
      operands.push_back(operand);
    }
  }
  for (const Instruction* member : members) {
    std::vector<Instruction*> own;
    for (const Instruction* operand : member->operands()) own.push_back(inner.at(operand));
    inner[member] = fused->createLike(*member, own);
  }
  fused->setRoot(inner.at(chain.after));
  Instruction* fusion = outer.create(Opcode::Fusion, chain.after->shape(), operands,
                                     module.uniqueName("dot_chain_fusion"), chain.after);
  fusion->set<Attr::FusionKindKind>(FusionKind::Custom);
  fusion->set<Attr::Calls>(fused);
  if (const OpMetadata* metadata = chain.after->get<Attr::Metadata>()) fusion->set<Attr::Metadata>(metadata);
  outer.replaceAllUses(chain.after, fusion);
  const std::array<Instruction*, 3> replaced = {chain.after, chain.middle, chain.before};
  outer.removeAll(replaced);
}

}  // namespace

Result<bool> fuseDotChains(Module& module, PassContext& context) {
  absl::flat_hash_set<const Computation*> fused;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::Fusion) continue;
      for (const Computation* called : instruction->calledComputations()) fused.insert(called);
    }
  }
  const std::vector<Computation*> before(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : before) {
    if (fused.contains(computation)) continue;
    std::vector<Instruction*> middles;
    for (Instruction* instruction : computation->instructions()) {
      if (dotChain(*instruction)) middles.push_back(instruction);
    }
    for (Instruction* middle : middles) {
      if (context.cancelled()) return changed;
      const auto chain = dotChain(*middle);
      if (!chain) continue;  // Its first dot has become part of another chain.
      if (!context.mayChange(*chain->middle)) return changed;
      context.remark(*chain->middle, "fused",
                     fmt::format("with the dots %{} and %{}, a few rows at a time", chain->before->name(),
                                 chain->after->name()));
      if (chain->middle->opcode() == Opcode::Fusion &&
          multiplyByReciprocals(*chain->middle->calledComputations()[0]))
        context.remark(*chain->middle, "rewritten",
                       "multiplies by one over each row's sum, a division a row");
      fuse(*chain);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
