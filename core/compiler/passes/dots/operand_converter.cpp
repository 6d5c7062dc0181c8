#include "core/compiler/passes/dots/operand_converter.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/verify/shape_compare.h"

namespace hilo {
namespace {

bool isLibraryF8(ElementType type) {
  return type == ElementType::F8E4M3FN || type == ElementType::F8E5M2 || type == ElementType::F8E4M3FNUZ ||
         type == ElementType::F8E5M2FNUZ;
}

bool isOfTwoTypes(const Instruction& i) {
  if (i.opcode() != Opcode::Dot) return false;
  const ElementType lhs = i.operand(0)->shape().elementType(), rhs = i.operand(1)->shape().elementType();
  return lhs != rhs && !(isLibraryF8(lhs) && isLibraryF8(rhs));
}

Instruction* converted(Instruction& i) {
  const ElementType type =
      higherPrecision(i.operand(0)->shape().elementType(), i.operand(1)->shape().elementType());
  return i.parent().createLike(
      i, std::vector{convertTo(i.operand(0), type, i), convertTo(i.operand(1), type, i)}, &i);
}

}  // namespace

Result<bool> convertDotOperands(Module& module, PassContext& context) {
  return rewriteEach(module, context, "converted", isOfTwoTypes, converted);
}

}  // namespace hilo
