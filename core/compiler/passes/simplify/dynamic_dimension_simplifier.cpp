#include "core/compiler/passes/simplify/dynamic_dimension_simplifier.h"

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

bool isAlong(const Instruction& i, int64_t dimension) {
  return i.opcode() == Opcode::Concatenate && i.dimensions()[0] == dimension;
}

bool joinsJoined(const Instruction& i) {
  return i.opcode() == Opcode::Concatenate &&
         std::ranges::any_of(
             i.operands(), [&](const Instruction* operand) { return isAlong(*operand, i.dimensions()[0]); });
}

Instruction* joinedAtOnce(Instruction& i) {
  std::vector<Instruction*> operands;
  for (Instruction* operand : i.operands()) {
    const bool isJoined = isAlong(*operand, i.dimensions()[0]);
    if (isJoined) operands.insert(operands.end(), operand->operands().begin(), operand->operands().end());
    if (!isJoined) operands.push_back(operand);
  }
  return i.parent().createLike(i, operands, &i);
}

// The vector of a concatenate that a slice takes as a whole; null where it takes another part.
Instruction* partTaken(const Instruction& slice) {
  if (slice.opcode() != Opcode::Slice || slice.shape().rank() != 1 ||
      slice.operand(0)->opcode() != Opcode::Concatenate || slice.get<Attr::Slice>()[0].stride != 1)
    return nullptr;
  int64_t at = 0;
  for (Instruction* part : slice.operand(0)->operands()) {
    if (at == slice.get<Attr::Slice>()[0].start && part->shape() == slice.shape()) return part;
    at += part->shape().dimension(0);
  }
  return nullptr;
}

// The scalar that was made a vector of one.
Instruction* scalarAgain(const Instruction& i) {
  if (i.opcode() != Opcode::Reshape || i.shape().rank() != 0) return nullptr;
  const Instruction& wide = *i.operand(0);
  const bool isWide = wide.opcode() == Opcode::Broadcast && wide.shape().rank() == 1;
  return isWide && wide.operand(0)->shape() == i.shape() ? wide.operand(0) : nullptr;
}

Instruction* shapeAgain(const Instruction& i) {
  if (i.opcode() != Opcode::Reshape || i.operand(0)->opcode() != Opcode::Reshape) return nullptr;
  Instruction* first = i.operand(0)->operand(0);
  return first->shape() == i.shape() ? first : nullptr;
}

Instruction* unchanged(const Instruction& i) {
  const bool isIdle =
      (i.opcode() == Opcode::Convert || i.opcode() == Opcode::Reshape) && i.shape() == i.operand(0)->shape();
  return isIdle ? i.operand(0) : nullptr;
}

}  // namespace

Result<bool> simplifyDynamicDimensions(Module& module, PassContext& context) {
  bool changed = rewriteEach(module, context, "simplified", joinsJoined, joinedAtOnce);
  for (Instruction* (*same)(const Instruction&) : {partTaken, scalarAgain, shapeAgain, unchanged}) {
    changed |= rewriteEach(
        module, context, "simplified", [&](const Instruction& i) { return same(i) != nullptr; },
        [&](Instruction& i) { return same(i); });
  }
  return changed;
}

}  // namespace hilo
