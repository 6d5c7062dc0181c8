#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "core/analysis/lint/rules.h"
#include "core/base/amount_text.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

constexpr int64_t kLargeBytes = int64_t{1} << 20;

using Instructions = absl::flat_hash_set<const Instruction*>;

// XLA's constant-folding (transforms/simplifiers/hlo_constant_folding.cc) leaves what is cheap to make again,
// and what calls computations.
bool mayFold(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Constant:
    case Opcode::Iota:
    case Opcode::Broadcast:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Fusion:
    case Opcode::CustomCall:
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::Call:
      return false;
    default:
      return instruction.operandCount() > 0 && instruction.shape().isArray() && !hasSideEffect(instruction);
  }
}

bool isCheapToMake(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Iota ||
         (instruction.opcode() == Opcode::Broadcast && instruction.operand(0)->opcode() == Opcode::Constant);
}

// Every operand is known, and not each of them only made again.
bool folds(const Instruction& instruction, const Instructions& folded) {
  bool anyStored = false;
  for (const Instruction* operand : instruction.operands()) {
    const bool isStored = operand->opcode() == Opcode::Constant || folded.contains(operand);
    if (!isStored && !isCheapToMake(*operand)) return false;
    anyStored |= isStored;
  }
  return anyStored && mayFold(instruction);
}

}  // namespace

void lintConstants(const Module& module, LintFindings& found) {
  for (const Computation* computation : module.computations()) {
    Instructions folded;
    for (const Instruction* instruction : computation->instructions()) {
      if (folds(*instruction, folded)) folded.insert(instruction);
    }
    for (const Instruction* instruction : computation->instructions()) {
      const int64_t bytes = instruction->shape().byteSize();
      const auto isFolded = [&](const Instruction* user) { return folded.contains(user); };
      const auto users = instruction->users();
      const bool isInner = !users.empty() && std::ranges::all_of(users, isFolded);
      if (!folded.contains(instruction) || bytes < kLargeBytes || isInner) continue;
      found.push_back(
          {.instruction = instruction,
           .message = fmt::format("{} {} is of constants alone: folding it makes a constant of {}",
                                  instruction->opcodeText(), instruction->name(), amount::bytes(bytes)),
           .notes = {"pass it as a parameter, or keep it from folding with an optimization-barrier"}});
    }
  }
}

}  // namespace hilo
