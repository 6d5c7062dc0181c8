#include "core/compiler/passes/simplify/convert_mover.h"

#include <algorithm>

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

bool wantsMove(const Instruction& i) {
  if (isMove(i.opcode())) return widens(*i.operand(0)) && isReadOnce(*i.operand(0));
  if (i.opcode() != Opcode::Convert || bitsOf(*i.operand(0)) <= bitsOf(i)) return false;
  const Instruction& move = *i.operand(0);
  return isMove(move.opcode()) && isReadOnce(move) && !move.isRoot() && !move.has(Attr::ControlPredecessors);
}

Instruction* moved(Instruction& i) {
  if (i.opcode() == Opcode::Convert) {
    Instruction& move = *i.operand(0);
    Instruction* narrow = convertTo(move.operand(0), i.shape().elementType(), i);
    Instruction* made = i.parent().createLike(move, {{narrow}}, &i);
    made->setShape(i.shape());
    return made;
  }
  Instruction* source = i.operand(0)->operand(0);
  Instruction* made = i.parent().createLike(i, {{source}}, &i);
  made->setShape(i.shape().withElementType(source->shape().elementType()));
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
