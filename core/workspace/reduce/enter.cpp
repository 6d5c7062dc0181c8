#include "core/analysis/extract.h"
#include "core/hlo/ir/op_facts.h"
#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

// What the computation number `called` of an instruction is called with; a loop's body in its first turn.
std::span<Instruction* const> handedIn(const Instruction& instruction, int64_t called) {
  if (instruction.opcode() == Opcode::Conditional)
    return instruction.operands().subspan(static_cast<size_t>(called) + 1, 1);
  return instruction.operands();
}

bool canEnter(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Call:
    case Opcode::Conditional:
    case Opcode::Fusion:
    case Opcode::While:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<MoveSite> enterSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (!canEnter(*instruction)) continue;
    const auto called = instruction->calledComputations();
    for (size_t i = 0; i < called.size(); ++i) sites.push_back({instruction->id(), static_cast<int64_t>(i)});
  }
  return sites;
}

// There is one entry.
bool enter(Draft& draft, std::span<const MoveSite> at) {
  if (at.size() != 1) return false;
  const Instruction* instruction = draft.module->instruction(at[0].instruction);
  if (instruction == nullptr || &instruction->parent() != draft.module->entry()) return false;
  std::vector<Literal> arguments;
  for (const Instruction* operand : handedIn(*instruction, at[0].part)) {
    if (!isValueShape(operand->shape())) return false;
    if (draft.hasValues) arguments.push_back(draft.valueOf(*operand));
  }
  Computation& called = *instruction->calledComputations()[static_cast<size_t>(at[0].part)];
  if (handedIn(*instruction, at[0].part).size() != called.parameters().size()) return false;
  makeEntry(*draft.module, called);
  draft.arguments = std::move(arguments);
  draft.values = nullptr;
  const std::vector<Instruction*> parameters(called.parameters().begin(), called.parameters().end());
  for (Instruction* parameter : parameters) {
    if (parameter->shape().isTuple()) splitParameter(draft, *parameter);
  }
  removeParameters(draft, {});
  return true;
}

}  // namespace hilo
