#include "core/compiler/passes/collectives/all_reduce_reassociate.h"

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

bool combinesTwo(const Instruction& i) {
  if (i.operandCount() != 2 || !i.shape().isArray()) return false;
  const Instruction &lhs = *i.operand(0), &rhs = *i.operand(1);
  return lhs.opcode() == Opcode::AllReduce && combinerOf(lhs) == i.opcode() && lhs.operandCount() == 1 &&
         rhs.operandCount() == 1 && lhs.shape() == rhs.shape() && lhs.shape() == i.shape() &&
         isReadOnce(lhs) && isReadOnce(rhs) && sameCollective(lhs, rhs) &&
         !lhs.has(Attr::ControlPredecessors) && !rhs.has(Attr::ControlPredecessors);
}

Instruction* reassociated(Instruction& i) {
  Instruction* inside = i.parent().createLike(i, {{i.operand(0)->operand(0), i.operand(1)->operand(0)}}, &i);
  return i.parent().createLike(*i.operand(0), {{inside}}, &i);
}

}  // namespace

Result<bool> reassociateAllReduces(Module& module, PassContext& context) {
  return rewriteEach(module, context, "reassociated", combinesTwo, reassociated);
}

}  // namespace hilo
