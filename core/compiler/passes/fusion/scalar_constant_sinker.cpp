#include "core/compiler/passes/fusion/scalar_constant_sinker.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "core/compiler/passes/simplify/dead_fusion_outputs.h"

namespace hilo {
namespace {

bool isConstantNumber(const Instruction* operand) {
  return operand->opcode() == Opcode::Constant && operand->shape().isArray() &&
         operand->shape().elementCount() == 1;
}

bool readsNumber(const Instruction& i) {
  return i.opcode() == Opcode::Fusion && i.get<Attr::FusionKindKind>() != FusionKind::Custom &&
         !i.has(Attr::OutputToOperandAliasing) && std::ranges::any_of(i.operands(), isConstantNumber);
}

void sink(Instruction& fusion) {
  Computation& body = *fusion.get<Attr::Calls>();
  for (size_t k = 0; k < fusion.operandCount(); ++k) {
    if (!isConstantNumber(fusion.operand(k))) continue;
    Instruction* parameter = body.parameters()[k];
    Instruction* constant = body.createLike(*fusion.operand(k), {}, body.first());
    if (parameter->isRoot()) body.setRoot(constant);
    body.replaceAllUses(parameter, constant);
  }
  withoutUnusedOperands(fusion);
}

}  // namespace

Result<bool> sinkScalarConstants(Module& module, PassContext& context) {
  // Of bodies that several instructions call, constants of one are not those of the others.
  absl::flat_hash_map<const Computation*, int> callers;
  std::vector<Instruction*> fusions;
  for (const Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      for (const Computation* called : i->calledComputations()) ++callers[called];
      if (readsNumber(*i)) fusions.push_back(i);
    }
  }
  bool changed = false;
  for (Instruction* fusion : fusions) {
    if (context.cancelled()) return changed;
    if (callers.at(fusion->get<Attr::Calls>()) > 1) continue;
    if (!context.mayChange(*fusion)) return changed;
    context.remark(*fusion, "sunk", "constants that it read are its own");
    sink(*fusion);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
