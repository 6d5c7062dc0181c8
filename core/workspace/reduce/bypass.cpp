#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

bool mayTakePlace(const Instruction& operand, const Instruction& instruction) {
  return operand.shape().withoutLayout() == instruction.shape().withoutLayout();
}

}  // namespace

std::vector<MoveSite> bypassSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (size_t i = 0; i < instruction->operandCount(); ++i) {
        if (mayTakePlace(*instruction->operand(i), *instruction))
          sites.push_back({instruction->id(), static_cast<int64_t>(i)});
      }
    }
  }
  return sites;
}

bool bypass(Draft& draft, std::span<const MoveSite> at) {
  bool changed = false;
  for (const MoveSite& site : at) {
    Instruction* instruction = draft.module->instruction(site.instruction);
    if (instruction == nullptr || static_cast<size_t>(site.part) >= instruction->operandCount()) continue;
    if (instruction->users().empty() && !instruction->isRoot()) continue;
    Instruction* operand = instruction->operand(static_cast<size_t>(site.part));
    if (!mayTakePlace(*operand, *instruction)) continue;
    instruction->parent().replaceAllUses(instruction, operand);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
