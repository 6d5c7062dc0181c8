#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

// What is still readable in a line.
constexpr int64_t kMostElements = 64;

bool canBeConstant(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  return instruction.opcode() != Opcode::Constant && shape.isArray() && !shape.isDynamic() &&
         shape.elementCount() <= kMostElements && !instruction.users().empty();
}

}  // namespace

std::vector<MoveSite> replaceByConstantSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (canBeConstant(*instruction)) sites.push_back({instruction->id()});
  }
  return sites;
}

bool replaceByConstant(Draft& draft, std::span<const MoveSite> at) {
  bool changed = false;
  Computation& entry = *draft.module->entry();
  for (const MoveSite& site : at) {
    Instruction* instruction = draft.module->instruction(site.instruction);
    if (instruction == nullptr || &instruction->parent() != &entry || !canBeConstant(*instruction)) continue;
    Instruction* constant =
        entry.createConstant(draft.valueOf(*instruction).withShape(instruction->shape()), instruction);
    entry.replaceAllUses(instruction, constant);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
