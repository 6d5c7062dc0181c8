#include "core/compiler/passes/layout/move_copy_to_users.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isMovableCopy(const Instruction& i) {
  return i.opcode() == Opcode::Copy && !i.has(Attr::ControlPredecessors) && isPlainArray(i.shape()) &&
         isPlainArray(i.operand(0)->shape()) && i.shape().layout() != nullptr &&
         i.operand(0)->shape().layout() != nullptr;
}

// Work of one copied array whose result can lie as the array did.
bool worksOnOne(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Pad:
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Reverse:
      return true;
    case Opcode::ReduceWindow:
      return i.operandCount() == 2;
    case Opcode::ReducePrecision:
    case Opcode::BitcastConvert:
    case Opcode::Copy:
      return false;
    case Opcode::Convert:
      return i.users().size() != 1 || i.users()[0]->opcode() != Opcode::Convolution;
    default:
      return isElementwise(i.opcode()) && i.operandCount() == 1;
  }
}

// How many leading operands are arrays that must all be copies of arrays that lie alike; 0: not moved over.
size_t movedOperands(const Instruction& i) {
  if (!isPlainArray(i.shape()) || i.shape().layout() == nullptr || i.has(Attr::ControlPredecessors)) return 0;
  if (i.opcode() == Opcode::Concatenate) return i.operandCount();
  if (i.opcode() == Opcode::Reduce) return i.operandCount() == 2 ? 1 : 0;
  if (worksOnOne(i)) return 1;
  return isElementwise(i.opcode()) && i.operandCount() == 2 ? 2 : 0;
}

bool readsCopies(const Instruction& i) {
  const size_t moved = movedOperands(i);
  for (size_t k = 0; k < moved; ++k) {
    if (!isMovableCopy(*i.operand(k))) return false;
    const Shape shape = i.operand(k)->operand(0)->shape();
    if (*shape.layout() != *i.operand(0)->operand(0)->shape().layout()) return false;
  }
  return moved > 0;
}

Instruction* beforeCopy(Instruction& i) {
  std::vector<Instruction*> operands(i.operands().begin(), i.operands().end());
  for (size_t k = 0; k < movedOperands(i); ++k) operands[k] = operands[k]->operand(0);
  Instruction* made = i.parent().createLike(i, operands, &i);
  if (i.opcode() == Opcode::Reduce) return made;
  made->setShape(i.shape().withLayout(operands[0]->shape().layout()));
  return i.parent().create(Opcode::Copy, i.shape(), {made}, {}, &i);
}

}  // namespace

Result<bool> moveCopiesToUsers(Module& module, PassContext& context) {
  return rewriteEach(module, context, "moved", readsCopies, beforeCopy);
}

}  // namespace hilo
