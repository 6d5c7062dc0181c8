#include "core/compiler/passes/fusion/make_fusion.h"

#include <algorithm>
#include <ranges>

#include "core/analysis/fusion_hero.h"
#include "core/compiler/passes/fusion/kernel_emitter.h"

namespace hilo {
namespace {

// The body of one fusion while it is filled.
struct Body {
  Computation* computation;
  const FusedRoots& roots;
  std::vector<Instruction*> operands;  // of the fusion, by parameter number
  absl::flat_hash_map<const Instruction*, Instruction*> inner;

  // A value that is stored for others too may be computed here all the same.
  Instruction* of(Instruction* outer) {
    if (const auto root = roots.find(outer); root != roots.end()) {
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

}  // namespace

FusionKind fusionKindOf(const Computation& fused) {
  return kernelEmitter(fused) == KernelEmitter::Loop ? FusionKind::Loop : FusionKind::Input;
}

Instruction* makeFusion(std::span<Instruction* const> members, FusedRoots& roots) {
  Instruction& root = *members[0];
  Computation& outer = root.parent();
  Module& module = outer.module();
  Body body{module.createComputation(module.uniqueName("fused_computation"), &outer), roots, {}, {}};
  for (Instruction* member : members | std::views::reverse) {
    std::vector<Instruction*> operands;
    for (Instruction* operand : member->operands()) operands.push_back(body.of(operand));
    Instruction* copy = body.computation->createLike(*member, operands);
    body.inner[member] = copy;
    body.computation->setRoot(copy);
  }
  Instruction* fusion = outer.create(Opcode::Fusion, root.shape(), body.operands,
                                     module.uniqueName(fusionName(*body.computation)), &root);
  fusion->set<Attr::FusionKindKind>(fusionKindOf(*body.computation));
  fusion->set<Attr::Calls>(body.computation);
  if (const OpMetadata* metadata = root.get<Attr::Metadata>()) fusion->set<Attr::Metadata>(metadata);
  outer.replaceAllUses(&root, fusion);
  roots[fusion] = &root;
  return fusion;
}

}  // namespace hilo
