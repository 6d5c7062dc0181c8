#include "core/compiler/passes/convolutions/convolution_pred_expander.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isOfTruthValues(const Instruction& i) {
  const auto isPred = [](const Instruction& value) {
    return value.shape().isArray() && value.shape().elementType() == ElementType::Pred;
  };
  return i.opcode() == Opcode::Convolution && isPred(i) && isPred(*i.operand(0)) && isPred(*i.operand(1));
}

Instruction* asNumbers(Instruction& i) {
  const std::vector<Instruction*> operands = {convertTo(i.operand(0), ElementType::F16, i),
                                              convertTo(i.operand(1), ElementType::F16, i)};
  Instruction* numbers = i.parent().createLike(i, operands, &i);
  numbers->setShape(i.shape().withElementType(ElementType::F16));
  return convertTo(numbers, ElementType::Pred, i);
}

}  // namespace

Result<bool> expandPredConvolutions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", isOfTruthValues, asNumbers);
}

}  // namespace hilo
