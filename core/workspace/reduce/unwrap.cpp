#include "core/workspace/reduce/moves.h"

namespace hilo {

// A loop: its body. A conditional: each branch, by number.
std::vector<MoveSite> unwrapSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::While) sites.push_back({instruction->id()});
      if (instruction->opcode() != Opcode::Conditional) continue;
      for (size_t branch = 0; branch < instruction->calledComputations().size(); ++branch)
        sites.push_back({instruction->id(), static_cast<int64_t>(branch)});
    }
  }
  return sites;
}

bool unwrap(Draft& draft, std::span<const MoveSite> at) {
  bool changed = false;
  for (const MoveSite& site : at) {
    Instruction* instruction = draft.module->instruction(site.instruction);
    if (instruction == nullptr || (instruction->users().empty() && !instruction->isRoot())) continue;
    const bool isLoop = instruction->opcode() == Opcode::While;
    Computation* called = isLoop ? instruction->get<Attr::Body>()
                                 : instruction->calledComputations()[static_cast<size_t>(site.part)];
    Instruction* operand = instruction->operand(isLoop ? 0 : static_cast<size_t>(site.part) + 1);
    Instruction* call =
        instruction->parent().create(Opcode::Call, instruction->shape(), {operand}, {}, instruction);
    call->set<Attr::ToApply>(called);
    instruction->parent().replaceAllUses(instruction, call);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
