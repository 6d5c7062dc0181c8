#include "core/compiler/passes/canonicalize/comparison_expander.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool comparesHalf(const Instruction& i) {
  return i.opcode() == Opcode::Compare && i.operand(0)->shape().elementType() == ElementType::BF16 &&
         i.operand(1)->shape().elementType() == ElementType::BF16 &&
         i.get<Attr::ComparisonTypeKind>().value_or(ComparisonType::Float) == ComparisonType::Float;
}

Instruction* widened(Instruction& i) {
  return i.parent().createLike(
      i, {{convertTo(i.operand(0), ElementType::F32, i), convertTo(i.operand(1), ElementType::F32, i)}}, &i);
}

}  // namespace

Result<bool> expandComparisons(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", comparesHalf, widened);
}

}  // namespace hilo
