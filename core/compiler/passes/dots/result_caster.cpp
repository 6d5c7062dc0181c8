#include "core/compiler/passes/dots/result_caster.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/verify/shape_compare.h"

namespace hilo {
namespace {

ElementType typeOfOperands(const Instruction& i) {
  return higherPrecision(i.operand(0)->shape().elementType(), i.operand(1)->shape().elementType());
}

bool losesPrecision(const Instruction& i) {
  if ((i.opcode() != Opcode::Dot && i.opcode() != Opcode::Convolution) || !i.shape().isArray()) return false;
  const ElementType type = typeOfOperands(i), given = i.shape().elementType();
  return type != given && higherPrecision(type, given) == type;
}

Instruction* cast(Instruction& i) {
  Instruction* made = i.parent().createLike(i, i.operands(), &i);
  made->setShape(i.shape().withElementType(typeOfOperands(i)));
  return convertTo(made, i.shape().elementType(), i);
}

}  // namespace

Result<bool> castResults(Module& module, PassContext& context) {
  return rewriteEach(module, context, "cast", losesPrecision, cast);
}

}  // namespace hilo
