#include "core/compiler/passes/collectives/all_reduce_promotion.h"

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/spmd/op_factors.h"

namespace hilo {
namespace {

bool isShort(ElementType type) { return type == ElementType::U16 || type == ElementType::S16; }

// The low 16 bits of a sum or product are the same in either type.
bool isAllReduceOfShorts(const Instruction& i) {
  return i.opcode() == Opcode::AllReduce && i.operandCount() == 1 && i.shape().isArray() &&
         isShort(i.shape().elementType()) && plainCombiner(i.get<Attr::ToApply>());
}

bool isReductionOfShorts(const Instruction& i) {
  return isAllReduceOfShorts(i) ||
         (i.opcode() == Opcode::ReduceScatter && i.operandCount() == 1 && i.shape().isArray() &&
          isShort(i.shape().elementType()) && plainCombiner(i.get<Attr::ToApply>()));
}

Instruction* promoted(Instruction& i) {
  const ElementType narrow = i.shape().elementType();
  const ElementType wide = narrow == ElementType::U16 ? ElementType::U32 : ElementType::S32;
  Instruction* made = i.parent().createLike(i, {{convertTo(i.operand(0), wide, i)}}, &i);
  made->setShape(i.shape().withElementType(wide));
  made->set<Attr::ToApply>(combinerOfType(*i.get<Attr::ToApply>(), wide));
  return convertTo(made, narrow, i);
}

}  // namespace

Result<bool> promoteAllReduces(Module& module, PassContext& context, const PromotedReductions& which) {
  const auto applies = which.onlyAllReduces ? isAllReduceOfShorts : isReductionOfShorts;
  return rewriteEach(module, context, "promoted", applies, promoted);
}

}  // namespace hilo
