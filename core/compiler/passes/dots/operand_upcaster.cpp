#include "core/compiler/passes/dots/operand_upcaster.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isInteger(ElementType type) { return isIntegral(type) && type != ElementType::Pred; }

// Every value of `from` is one of `to`.
bool holds(ElementType from, ElementType to) {
  if (from == to) return true;
  if (isInteger(from) && isInteger(to))
    return elementBits(from) < elementBits(to) && (isSigned(to) || !isSigned(from));
  return isFloat(from) && isFloat(to) && elementBits(from) < elementBits(to);
}

bool wantsUpcast(const Instruction& i) {
  if ((i.opcode() != Opcode::Dot && i.opcode() != Opcode::Convolution) || i.operandCount() != 2) return false;
  const ElementType lhs = i.operand(0)->shape().elementType(), rhs = i.operand(1)->shape().elementType(),
                    type = i.shape().elementType();
  if (!i.shape().isArray() || (lhs == type && rhs == type) || !holds(lhs, type) || !holds(rhs, type))
    return false;
  const bool isLibrarys =
      lhs == rhs && (isFloat(lhs) || (lhs == ElementType::S8 && type == ElementType::S32));
  return !isLibrarys;
}

Instruction* upcast(Instruction& i) {
  std::vector<Instruction*> operands;
  for (Instruction* operand : i.operands())
    operands.push_back(convertTo(operand, i.shape().elementType(), i));
  return i.parent().createLike(i, operands, &i);
}

}  // namespace

Result<bool> upcastOperands(Module& module, PassContext& context) {
  return rewriteEach(module, context, "converted", wantsUpcast, upcast);
}

}  // namespace hilo
