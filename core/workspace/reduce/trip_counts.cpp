#include <algorithm>

#include "core/analysis/while_loop.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

// The scalar that the condition compares the counter with; null where it is not of that form.
Instruction* boundOf(const Instruction& loop) {
  const Instruction* root = loop.get<Attr::Condition>()->root();
  if (root == nullptr || root->opcode() != Opcode::Compare) return nullptr;
  for (Instruction* side : root->operands()) {
    if (side->opcode() == Opcode::Constant && side->shape().isScalar() &&
        isIntegral(side->shape().elementType()))
      return side;
  }
  return nullptr;
}

}  // namespace

// Of each loop that runs more often: two turns, and one.
std::vector<MoveSite> tripCountsSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::While || boundOf(*instruction) == nullptr) continue;
      const auto counter = inductionVariable(*instruction);
      for (const int64_t turns : {2, 1}) {
        if (counter && counter->trips > turns)
          sites.push_back({instruction->id(), turns, counter->init + turns * counter->step});
      }
    }
  }
  return sites;
}

bool tripCounts(Draft& draft, std::span<const MoveSite> at) {
  bool changed = false;
  for (const MoveSite& site : at) {
    Instruction* loop = draft.module->instruction(site.instruction);
    Instruction* bound = loop == nullptr ? nullptr : boundOf(*loop);
    if (bound == nullptr) continue;
    Instruction* fewer = makeInteger(bound->parent(), bound->shape(), site.to);
    bound->parent().moveBefore(fewer, bound);
    bound->parent().replaceAllUses(bound, fewer);
    loop->erase(Attr::BackendConfig);  // says how often it ran
    changed = true;
  }
  return changed;
}

}  // namespace hilo
