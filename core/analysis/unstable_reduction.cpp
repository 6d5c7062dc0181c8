#include "core/analysis/unstable_reduction.h"

#include <algorithm>

namespace hilo {
namespace {

// Which of two numbers is kept; nothing is rounded.
bool keepsOne(const Computation* reducer) {
  if (reducer == nullptr || reducer->root() == nullptr) return false;
  const Instruction& root = *reducer->root();
  if (root.opcode() != Opcode::Maximum && root.opcode() != Opcode::Minimum) return false;
  return std::ranges::all_of(root.operands(),
                             [](const Instruction* i) { return i->opcode() == Opcode::Parameter; });
}

bool foldsMoreThanOne(const Instruction& reduce) {
  const Shape operand = reduce.operand(0)->shape();
  return std::ranges::any_of(reduce.dimensions(), [&](int64_t d) {
    return d >= 0 && d < static_cast<int64_t>(operand.rank()) &&
           operand.dimension(static_cast<size_t>(d)) != 1;
  });
}

}  // namespace

bool isUnstableReduction(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::Reduce || instruction.operandCount() == 0) return false;
  const ElementType type = instruction.shape().elementType();
  return isFloat(type) && elementBits(type) < 32 && !keepsOne(instruction.get<Attr::ToApply>()) &&
         foldsMoreThanOne(instruction);
}

std::vector<const Instruction*> unstableReductions(const Module& module) {
  std::vector<const Instruction*> found;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (isUnstableReduction(*instruction)) found.push_back(instruction);
    }
  }
  return found;
}

}  // namespace hilo
