#include "core/compiler/passes/collectives/reduce_scatter_reassociate.h"

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/schedule/scheduling_annotation.h"
#include "core/compiler/spmd/op_factors.h"

namespace hilo {
namespace {

bool isScatterReadOnce(const Instruction& i) {
  return i.opcode() == Opcode::ReduceScatter && i.operandCount() == 1 && i.users().size() == 1 &&
         !i.isRoot() && !i.get<Attr::ConstrainLayout>().value_or(false) && !i.has(Attr::ControlPredecessors);
}

std::string_view groupAnnotation(const Instruction& i) { return frontendValue(i, kSchedulingGroupAttribute); }

bool combinesTwo(const Instruction& i) {
  if (i.operandCount() != 2 || !i.shape().isArray()) return false;
  const Instruction &lhs = *i.operand(0), &rhs = *i.operand(1);
  if (!isScatterReadOnce(lhs) || !isScatterReadOnce(rhs) ||
      plainCombiner(lhs.get<Attr::ToApply>()) != i.opcode())
    return false;
  const std::string_view left = groupAnnotation(lhs), right = groupAnnotation(rhs);
  return (left.empty() || right.empty() || left == right) && sameCollective(lhs, rhs) &&
         collectiveGroupKey(lhs) == collectiveGroupKey(rhs) &&
         lhs.operand(0)->shape() == rhs.operand(0)->shape();
}

Instruction* scatteredOnce(Instruction& i) {
  Instruction &lhs = *i.operand(0), &rhs = *i.operand(1);
  Instruction* whole = i.parent().createLike(i, {{lhs.operand(0), rhs.operand(0)}}, &i);
  whole->setShape(lhs.operand(0)->shape());
  Instruction* made = i.parent().createLike(lhs, {{whole}}, &i);
  made->setShape(i.shape());
  giveOwnChannel(*made);
  if (groupAnnotation(lhs) != groupAnnotation(rhs)) removeSchedulingAnnotation(*made);
  return made;
}

}  // namespace

Result<bool> reassociateReduceScatters(Module& module, PassContext& context) {
  return rewriteEach(module, context, "reassociated", combinesTwo, scatteredOnce);
}

}  // namespace hilo
