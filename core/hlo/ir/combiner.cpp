#include "core/hlo/ir/combiner.h"

#include "core/hlo/ir/instruction.h"

namespace hilo {

std::optional<Opcode> operationOnBoth(const Computation& computation) {
  const Instruction* root = computation.root();
  if (root == nullptr || computation.parameters().size() != 2 || root->operandCount() != 2)
    return std::nullopt;
  const Instruction *a = computation.parameters()[0], *b = computation.parameters()[1];
  const bool inOrder = root->operand(0) == a && root->operand(1) == b;
  const bool swapped = root->operand(0) == b && root->operand(1) == a;
  return inOrder || swapped ? std::optional(root->opcode()) : std::nullopt;
}

}  // namespace hilo
