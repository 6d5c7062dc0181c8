#include "core/compiler/passes/dots/triton/hoist_bitcasts.h"

#include <algorithm>
#include <optional>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/triton/triton_gemm.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The shape that every reader makes of the parameter; nullopt where one reads it as it is, or they differ.
std::optional<Shape> readAs(const Instruction& parameter) {
  if (parameter.users().empty() || parameter.isRoot()) return std::nullopt;
  const Shape shape = parameter.users()[0]->shape();
  const bool all = std::ranges::all_of(parameter.users(), [&](const Instruction* user) {
    return user->opcode() == Opcode::Bitcast && user->shape() == shape;
  });
  return all ? std::optional(shape) : std::nullopt;
}

bool hoistFromParameters(Instruction& fusion) {
  Computation& fused = *fusion.get<Attr::Calls>();
  bool changed = false;
  for (Instruction* parameter : fused.parameters()) {
    const auto shape = readAs(*parameter);
    if (!shape) continue;
    const auto number = static_cast<size_t>(parameter->parameterNumber());
    fusion.setOperand(number, bitcastTo(fusion.operand(number), *shape, fusion));
    const std::vector<Instruction*> bitcasts(parameter->users().begin(), parameter->users().end());
    parameter->setShape(*shape);
    for (Instruction* bitcast : bitcasts) {
      fused.replaceAllUses(bitcast, parameter);
      fused.remove(bitcast);
    }
    changed = true;
  }
  return changed;
}

bool hoistFromRoot(Instruction& fusion) {
  Computation& fused = *fusion.get<Attr::Calls>();
  Instruction* root = fused.root();
  if (root->opcode() != Opcode::Bitcast || root->operand(0)->opcode() == Opcode::Parameter) return false;
  fused.setRoot(root->operand(0));
  fused.remove(root);
  Computation& computation = fusion.parent();
  Instruction* inner = computation.createLike(fusion, fusion.operands(), &fusion);
  inner->setShape(fused.root()->shape());
  computation.replaceAllUses(&fusion, bitcastTo(inner, fusion.shape(), fusion));
  computation.remove(&fusion);
  return true;
}

bool hasBitcastToHoist(const Instruction& fusion) {
  const Computation& fused = *fusion.get<Attr::Calls>();
  const Instruction& root = *fused.root();
  return (root.opcode() == Opcode::Bitcast && root.operand(0)->opcode() != Opcode::Parameter) ||
         std::ranges::any_of(fused.parameters(), [](const Instruction* p) { return readAs(*p).has_value(); });
}

}  // namespace

Result<bool> hoistFusedBitcasts(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> fusions;
    for (Instruction* i : computation->instructions()) {
      if (tritonKindOf(*i) == "__triton_gemm") fusions.push_back(i);
    }
    for (Instruction* fusion : fusions) {
      if (context.cancelled()) return changed;
      if (!hasBitcastToHoist(*fusion)) continue;
      if (!context.mayChange(*fusion)) return changed;
      context.remark(*fusion, "hoisted", "bitcasts stand outside");
      while (hoistFromParameters(*fusion)) changed = true;
      changed |= hoistFromRoot(*fusion);
    }
  }
  return changed;
}

}  // namespace hilo
