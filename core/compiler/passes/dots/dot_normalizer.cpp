#include "core/compiler/passes/dots/dot_normalizer.h"

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool sumsNothing(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && i.get<Attr::LhsContractingDims>().empty() &&
         liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape());
}

Instruction* withContraction(Instruction& dot) {
  std::vector<Instruction*> operands;
  for (Instruction* operand : dot.operands()) {
    std::vector<int64_t> sizes(operand->shape().dimensions().begin(), operand->shape().dimensions().end());
    sizes.push_back(1);
    operands.push_back(reshapeTo(operand, sizes, dot));
  }
  Instruction* made = dot.parent().createLike(dot, operands, &dot);
  for (size_t side = 0; side < 2; ++side) {
    const std::vector<int64_t> last = {static_cast<int64_t>(operands[side]->shape().rank()) - 1};
    setDotSide(*made, side, dotSide(dot, side).batch, last);
  }
  return made;
}

}  // namespace

Result<bool> normalizeDots(Module& module, PassContext& context) {
  return rewriteEach(module, context, "normalized", sumsNothing, withContraction);
}

}  // namespace hilo
