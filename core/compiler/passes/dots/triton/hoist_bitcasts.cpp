#include "core/compiler/passes/dots/triton/hoist_bitcasts.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/triton/bitcast_motion.h"
#include "core/compiler/passes/gpu_config.h"
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

// Of bitcasts one after the other, the last.
void joinRoot(Computation& fused) {
  Instruction* root = fused.root();
  while (root->opcode() == Opcode::Bitcast && root->operand(0)->opcode() == Opcode::Bitcast) {
    Instruction* inner = root->operand(0);
    root->setOperand(0, inner->operand(0));
    if (inner->users().empty()) fused.remove(inner);
  }
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

constexpr int kDeepest = 64;

// Whether a bitcast of `value` to `shape` can be moved up to parameters and scalars.
bool reachesParameters(const Instruction& value, Shape shape, int depth = 0) {
  if (value.opcode() == Opcode::Parameter || value.shape().elementCount() == 1) return true;
  if (depth == kDeepest) return false;
  if (value.opcode() == Opcode::Bitcast) return reachesParameters(*value.operand(0), shape, depth + 1);
  const auto moved = movedUp(value, shape);
  if (!moved) return false;
  for (size_t k = 0; k < value.operandCount(); ++k) {
    if (!reachesParameters(*value.operand(k), moved->operands[k], depth + 1)) return false;
  }
  return true;
}

Instruction* madeAs(const Instruction& i, const MovedOperation& moved, std::span<Instruction* const> operands,
                    Instruction& before) {
  Instruction* made = before.parent().createLike(i, operands, &before);
  made->setShape(moved.result);
  made->erase(Attr::Sharding);
  if (i.has(Attr::Dimensions)) made->set<Attr::Dimensions>(moved.dimensions);
  return made;
}

// The value as another shape, with bitcasts at parameters and scalars only.
Instruction* giveAs(Instruction& value, Shape shape, Instruction& before) {
  if (value.shape() == shape) return &value;
  if (value.opcode() == Opcode::Parameter || value.shape().elementCount() == 1)
    return bitcastTo(&value, shape, before);
  if (value.opcode() == Opcode::Bitcast) return giveAs(*value.operand(0), shape, before);
  const auto moved = movedUp(value, shape);
  std::vector<Instruction*> operands;
  for (size_t k = 0; k < value.operandCount(); ++k)
    operands.push_back(giveAs(*value.operand(k), moved->operands[k], before));
  return madeAs(value, *moved, operands, before);
}

bool comesOfDot(const Instruction& value, int depth = 0) {
  if (value.opcode() == Opcode::Dot || depth == kDeepest) return true;
  return std::ranges::any_of(value.operands(),
                             [&](const Instruction* i) { return comesOfDot(*i, depth + 1); });
}

bool isBitcast(const Instruction& i) {
  return i.opcode() == Opcode::Bitcast && !i.has(Attr::ControlPredecessors);
}

// On the way to the dot, up to parameters. Of several in a row only the last moves, past the others.
bool canMoveUp(const Instruction& bitcast) {
  const Instruction& value = *bitcast.operand(0);
  if (value.opcode() == Opcode::Parameter || value.shape().elementCount() == 1 || comesOfDot(value))
    return false;
  const bool isLast = std::ranges::any_of(
      bitcast.users(), [](const Instruction* user) { return user->opcode() != Opcode::Bitcast; });
  return isLast && reachesParameters(value, bitcast.shape());
}

void moveUp(Instruction& bitcast) {
  bitcast.parent().replaceAllUses(&bitcast, giveAs(*bitcast.operand(0), bitcast.shape(), bitcast));
}

// Behind the dot, past the only reader; what else that reads is read as other dimensions too.
std::optional<MovedOperation> downMove(const Instruction& bitcast) {
  const Instruction& value = *bitcast.operand(0);
  if (bitcast.isRoot() || bitcast.users().empty() || !comesOfDot(value)) return std::nullopt;
  const Instruction& user = *bitcast.users()[0];
  if (!std::ranges::all_of(bitcast.users(), [&](const Instruction* i) { return i == &user; }))
    return std::nullopt;
  const auto place = std::ranges::find(user.operands(), &bitcast) - user.operands().begin();
  auto moved = movedDown(user, static_cast<size_t>(place), value.shape());
  if (!moved) return std::nullopt;
  for (size_t k = 0; k < user.operandCount(); ++k) {
    if (user.operand(k) != &bitcast && !reachesParameters(*user.operand(k), moved->operands[k]))
      return std::nullopt;
  }
  return moved;
}

void moveDown(Instruction& bitcast, const MovedOperation& moved) {
  Instruction& user = *bitcast.users()[0];
  std::vector<Instruction*> operands;
  for (size_t k = 0; k < user.operandCount(); ++k)
    operands.push_back(user.operand(k) == &bitcast ? bitcast.operand(0)
                                                   : giveAs(*user.operand(k), moved.operands[k], user));
  Instruction* made = madeAs(user, moved, operands, user);
  bitcast.parent().replaceAllUses(&user, bitcastTo(made, user.shape(), user));
}

void sweep(Computation& fused) {
  const std::vector<Instruction*> all(fused.instructions().begin(), fused.instructions().end());
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    if ((*at)->users().empty() && !(*at)->isRoot() && (*at)->opcode() != Opcode::Parameter) fused.remove(*at);
  }
}

// One bitcast inside; false: none can be moved.
bool moveOne(Computation& fused) {
  for (Instruction* i : fused.instructions()) {
    if (!isBitcast(*i)) continue;
    if (canMoveUp(*i)) {
      moveUp(*i);
    } else if (const auto moved = downMove(*i)) {
      moveDown(*i, *moved);
    } else {
      continue;
    }
    sweep(fused);
    return true;
  }
  return false;
}

bool hasBitcastToTakeOut(const Instruction& fusion) {
  const Computation& fused = *fusion.get<Attr::Calls>();
  const Instruction& root = *fused.root();
  return (root.opcode() == Opcode::Bitcast && root.operand(0)->opcode() != Opcode::Parameter) ||
         std::ranges::any_of(fused.parameters(),
                             [](const Instruction* p) { return readAs(*p).has_value(); }) ||
         std::ranges::any_of(fused.instructions(), [](const Instruction* i) {
           return isBitcast(*i) && (canMoveUp(*i) || downMove(*i));
         });
}

}  // namespace

bool takeOutBitcasts(Instruction& fusion) {
  if (!hasBitcastToTakeOut(fusion)) return false;
  const auto settleParameters = [&] {
    while (hoistFromParameters(fusion)) continue;
  };
  settleParameters();
  while (moveOne(*fusion.get<Attr::Calls>())) continue;
  settleParameters();
  joinRoot(*fusion.get<Attr::Calls>());
  hoistFromRoot(fusion);
  return true;
}

Result<bool> hoistFusedBitcasts(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> fusions;
    for (Instruction* i : computation->instructions()) {
      if (gpuFusionKind(*i) == "__triton_gemm") fusions.push_back(i);
    }
    for (Instruction* fusion : fusions) {
      if (context.cancelled()) return changed;
      if (!hasBitcastToTakeOut(*fusion)) continue;
      if (!context.mayChange(*fusion)) return changed;
      context.remark(*fusion, "hoisted", "bitcasts stand outside");
      changed |= takeOutBitcasts(*fusion);
    }
  }
  return changed;
}

}  // namespace hilo
