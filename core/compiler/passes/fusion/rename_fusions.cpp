#include "core/compiler/passes/fusion/rename_fusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/analysis/fusion_hero.h"

namespace hilo {
namespace {

// Of each stored value, what it is about.
std::string heroesOf(const Computation& fused) {
  std::set<std::string> names;
  const Instruction& root = *fused.root();
  if (root.opcode() == Opcode::Tuple) {
    for (const Instruction* operand : root.operands()) names.emplace(operand->opcodeText());
  } else {
    names.emplace(fusionHero(fused)->opcodeText());
  }
  std::string joined = fmt::format("{}", fmt::join(names, "_"));
  std::ranges::replace(joined, '-', '_');
  return joined;
}

}  // namespace

Result<bool> renameFusions(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::Fusion || i->get<Attr::FusionKindKind>() == FusionKind::Custom) continue;
      if (!context.mayChange(*i)) return changed;
      const bool isInput = i->get<Attr::FusionKindKind>() == FusionKind::Input;
      const std::string heroes = heroesOf(*i->get<Attr::Calls>());
      i->setName(module.uniqueName(fmt::format("{}_{}_fusion", isInput ? "input" : "loop", heroes)));
      i->get<Attr::Calls>()->setName(module.uniqueName("fused_" + heroes));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
