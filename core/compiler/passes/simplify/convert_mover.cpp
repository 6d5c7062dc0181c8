#include "core/compiler/passes/simplify/convert_mover.h"

#include <algorithm>
#include <cmath>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isMove(Opcode opcode) {
  return opcode == Opcode::Reshape || opcode == Opcode::Transpose || opcode == Opcode::Slice ||
         opcode == Opcode::Broadcast;
}

int bitsOf(const Instruction& i) { return elementBits(i.shape().elementType()); }

bool widens(const Instruction& convert) {
  return convert.opcode() == Opcode::Convert && bitsOf(*convert.operand(0)) < bitsOf(convert);
}

// What an earlier move has left behind reads nothing.
bool isReadOnce(const Instruction& i) {
  const auto readers = std::ranges::count_if(
      i.users(), [](const Instruction* user) { return !user->users().empty() || user->isRoot(); });
  return readers == 1;
}

bool isWidenedHere(const Instruction& operand) { return widens(operand) && isReadOnce(operand); }

ElementType sourceType(const Instruction& convert) { return convert.operand(0)->shape().elementType(); }

// Every type of numbers holds it.
bool isSmallNumber(const Instruction& value) {
  const auto number = algebra::splatValue(value);
  return number && *number >= 0 && *number <= 8 && *number == std::floor(*number);
}

bool movesDown(const Instruction& i) {
  if (isMove(i.opcode())) return isWidenedHere(*i.operand(0));
  if (i.opcode() == Opcode::Pad)
    return isWidenedHere(*i.operand(0)) && isSmallNumber(*i.operand(1)) &&
           bitsOf(*i.operand(0)->operand(0)) >= 8;
  return i.opcode() == Opcode::Concatenate && std::ranges::all_of(i.operands(), [&](const Instruction* o) {
           return isWidenedHere(*o) && sourceType(*o) == sourceType(*i.operand(0));
         });
}

bool wantsMove(const Instruction& i) {
  if (movesDown(i)) return true;
  if (i.opcode() != Opcode::Convert || bitsOf(*i.operand(0)) <= bitsOf(i)) return false;
  const Instruction& move = *i.operand(0);
  return (isMove(move.opcode()) || move.opcode() == Opcode::Pad) && isReadOnce(move) && !move.isRoot() &&
         !move.has(Attr::ControlPredecessors);
}

Instruction* moved(Instruction& i) {
  const bool isUp = i.opcode() == Opcode::Convert;
  Instruction& move = isUp ? *i.operand(0) : i;
  const ElementType narrow = isUp ? i.shape().elementType() : sourceType(*i.operand(0));
  std::vector<Instruction*> operands;
  for (Instruction* operand : move.operands()) {
    const bool isTakenOff = !isUp && operand->opcode() == Opcode::Convert && sourceType(*operand) == narrow;
    operands.push_back(isTakenOff ? operand->operand(0) : convertTo(operand, narrow, i));
  }
  Instruction* made = i.parent().createLike(move, operands, &i);
  made->setShape(i.shape().withElementType(narrow));
  return convertTo(made, i.shape().elementType(), i);
}

}  // namespace

Result<bool> moveConverts(Module& module, PassContext& context) {
  bool changed = false;
  // A conversion moves over one instruction at a time, always the same way.
  while (rewriteEach(module, context, "moved", wantsMove, moved)) changed = true;
  return changed;
}

}  // namespace hilo
