#include "core/analysis/fusion_hero.h"

#include <absl/container/flat_hash_set.h>

namespace hilo {
namespace {

bool isHero(Opcode opcode) {
  switch (opcode) {
    case Opcode::Transpose:
    case Opcode::Concatenate:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Gather:
      return true;
    default:
      break;
  }
  switch (opcodeClass(opcode)) {
    case OpcodeClass::Contraction:
    case OpcodeClass::Reduction:
    case OpcodeClass::Collective:
    case OpcodeClass::Random:
    case OpcodeClass::CustomCall:
      return true;
    default:
      return false;
  }
}

}  // namespace

const Instruction* fusionHero(const Computation& fused) {
  const Instruction* root = fused.root();
  if (root == nullptr) return nullptr;
  // Breadth first from the root: nearest first.
  std::vector<const Instruction*> order{root};
  absl::flat_hash_set<const Instruction*> seen{root};
  for (size_t i = 0; i < order.size(); ++i) {
    if (isHero(order[i]->opcode())) return order[i];
    for (const Instruction* operand : order[i]->operands()) {
      if (&operand->parent() == &fused && seen.insert(operand).second) order.push_back(operand);
    }
  }
  const bool makesTuple = root->opcode() == Opcode::Tuple && root->operandCount() > 0;
  return makesTuple ? root->operand(0) : root;
}

}  // namespace hilo
