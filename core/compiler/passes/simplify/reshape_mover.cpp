#include "core/compiler/passes/simplify/reshape_mover.h"

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isRearrangement(const Instruction& i) {
  return i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Transpose;
}

bool isScalarBroadcast(const Instruction& i) {
  return i.opcode() == Opcode::Broadcast && i.operand(0)->shape().rank() == 0;
}

bool isSameRearrangement(const Instruction& a, const Instruction& b) {
  return a.opcode() == b.opcode() && std::ranges::equal(a.dimensions(), b.dimensions()) &&
         std::ranges::equal(a.operand(0)->shape().dimensions(), b.operand(0)->shape().dimensions());
}

// The first operand that is rearranged, where all that have a shape of their own are, in the same way; a gain
// only where each is used here alone.
const Instruction* commonRearrangement(const Instruction& i) {
  const Instruction* first = nullptr;
  for (const Instruction* operand : i.operands()) {
    if (isScalarBroadcast(*operand)) continue;
    if (!isRearrangement(*operand) || operand->users().size() != 1 ||
        operand->has(Attr::ControlPredecessors) || !liesRowMajor(operand->shape()) ||
        !liesRowMajor(operand->operand(0)->shape()))
      return nullptr;
    if (first != nullptr && !isSameRearrangement(*first, *operand)) return nullptr;
    if (first == nullptr) first = operand;
  }
  return first;
}

bool wantsMove(const Instruction& i) {
  return isElementwise(i.opcode()) && i.operandCount() > 0 && liesRowMajor(i.shape()) &&
         std::ranges::all_of(i.operands(),
                             [&](const Instruction* o) { return o->shape().rank() == i.shape().rank(); }) &&
         commonRearrangement(i) != nullptr;
}

Instruction* moved(Instruction& i) {
  const Instruction& common = *commonRearrangement(i);
  const auto sizes = common.operand(0)->shape().dimensions();
  std::vector<Instruction*> operands;
  for (Instruction* operand : i.operands()) {
    operands.push_back(isScalarBroadcast(*operand) ? broadcastTo(operand->operand(0), sizes, {}, i)
                                                   : operand->operand(0));
    // A scalar's broadcast takes the form of those beside it.
    if (isScalarBroadcast(*operand))
      operands.back()->setShape(arrayLike(operand->shape(), operand->shape().elementType(), sizes));
  }
  Instruction* made = i.parent().createLike(i, operands, &i);
  made->setShape(arrayLike(i.shape(), i.shape().elementType(), sizes));
  Instruction* back = i.parent().createLike(common, {{made}}, &i);
  back->setShape(i.shape());
  return back;
}

}  // namespace

Result<bool> moveReshapes(Module& module, PassContext& context) {
  return rewriteEach(module, context, "moved", wantsMove, moved);
}

}  // namespace hilo
