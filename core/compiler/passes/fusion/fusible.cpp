#include "core/compiler/passes/fusion/fusible.h"

#include "core/hlo/ir/side_effects.h"

namespace hilo {

bool isFusible(const Instruction& i) {
  return !i.has(Attr::ControlPredecessors) && isFusibleInControlOrder(i);
}

bool isFusibleInControlOrder(const Instruction& i) {
  if (i.shape().isDynamic() || hasSideEffect(i)) return false;
  for (const Instruction* operand : i.operands()) {
    if (!operand->shape().isArray()) return false;
  }
  switch (i.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Bitcast:
    case Opcode::Concatenate:
    case Opcode::Copy:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Gather:
    case Opcode::Iota:
    case Opcode::Pad:
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Reshape:
    case Opcode::Reverse:
    case Opcode::Scatter:
    case Opcode::Slice:
    case Opcode::Transpose:
      return true;
    default:
      return isElementwise(i.opcode()) && i.shape().isArray();
  }
}

bool isFusibleProducer(const Instruction& i) {
  return isFusible(i) && i.opcode() != Opcode::Scatter && i.opcode() != Opcode::DynamicUpdateSlice &&
         i.shape().isArray();
}

bool isScalarConstant(const Instruction& i) {
  return i.opcode() == Opcode::Constant && i.shape().isArray() && i.shape().elementCount() == 1 &&
         !i.literal().isElided();
}

}  // namespace hilo
