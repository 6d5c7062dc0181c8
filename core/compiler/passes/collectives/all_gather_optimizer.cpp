#include "core/compiler/passes/collectives/all_gather_optimizer.h"

#include <algorithm>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

bool combinesTwo(const Instruction& i) {
  if (!isElementwise(i.opcode()) || i.operandCount() != 2 || !i.shape().isArray()) return false;
  const Instruction &lhs = *i.operand(0), &rhs = *i.operand(1);
  return lhs.opcode() == Opcode::AllGather && lhs.operandCount() == 1 && rhs.operandCount() == 1 &&
         &lhs != &rhs && lhs.shape().isArray() &&
         std::ranges::equal(lhs.operand(0)->shape().dimensions(), rhs.operand(0)->shape().dimensions()) &&
         isReadOnce(lhs) && isReadOnce(rhs) && sameCollective(lhs, rhs) &&
         collectiveGroupKey(lhs) == collectiveGroupKey(rhs) && !lhs.has(Attr::ControlPredecessors) &&
         !rhs.has(Attr::ControlPredecessors);
}

Instruction* gatheredAfter(Instruction& i) {
  Instruction* piece = i.operand(0)->operand(0);
  Instruction* work = i.parent().createLike(i, {{piece, i.operand(1)->operand(0)}}, &i);
  work->setShape(piece->shape().withElementType(i.shape().elementType()));
  Instruction* gather = i.parent().createLike(*i.operand(0), {{work}}, &i);
  gather->setShape(i.shape());
  return gather;
}

}  // namespace

Result<bool> optimizeAllGathers(Module& module, PassContext& context) {
  return rewriteEach(module, context, "moved", combinesTwo, gatheredAfter);
}

}  // namespace hilo
