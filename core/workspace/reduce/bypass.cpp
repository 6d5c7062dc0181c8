#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

// The element that is taken out of a tuple again.
constexpr int64_t kElement = -1;

// What may take the place of an instruction: an operand, by number, or the element; null where it may not.
Instruction* standIn(const Instruction& instruction, int64_t part) {
  if (part == kElement) {
    const bool isElement =
        instruction.opcode() == Opcode::GetTupleElement && instruction.operand(0)->opcode() == Opcode::Tuple;
    return isElement ? instruction.operand(0)->operand(static_cast<size_t>(instruction.tupleIndex()))
                     : nullptr;
  }
  if (static_cast<size_t>(part) >= instruction.operandCount()) return nullptr;
  Instruction* operand = instruction.operand(static_cast<size_t>(part));
  return operand->shape().withoutLayout() == instruction.shape().withoutLayout() ? operand : nullptr;
}

}  // namespace

std::vector<MoveSite> bypassSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (int64_t part = kElement; part < static_cast<int64_t>(instruction->operandCount()); ++part) {
        if (standIn(*instruction, part) != nullptr) sites.push_back({instruction->id(), part});
      }
    }
  }
  return sites;
}

bool bypass(Draft& draft, std::span<const MoveSite> at) {
  bool changed = false;
  for (const MoveSite& site : at) {
    Instruction* instruction = draft.module->instruction(site.instruction);
    if (instruction == nullptr || (instruction->users().empty() && !instruction->isRoot())) continue;
    Instruction* other = standIn(*instruction, site.part);
    if (other == nullptr) continue;
    instruction->parent().replaceAllUses(instruction, other);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
