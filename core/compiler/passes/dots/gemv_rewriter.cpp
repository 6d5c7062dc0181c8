#include "core/compiler/passes/dots/gemv_rewriter.h"

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isGemv(const Instruction& i) {
  if (i.opcode() != Opcode::Dot || i.operandCount() != 2 || !liesRowMajor(i.shape()) || i.shape().isDynamic())
    return false;
  const size_t left = dotSide(i, 0).free.size(), right = dotSide(i, 1).free.size();
  return left + right == 1 && liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape());
}

Instruction* asGemm(Instruction& dot) {
  std::vector<Instruction*> operands(dot.operands().begin(), dot.operands().end());
  const size_t vector = dotSide(dot, 0).free.empty() ? 0 : 1;
  std::vector<int64_t> sizes(operands[vector]->shape().dimensions().begin(),
                             operands[vector]->shape().dimensions().end());
  sizes.push_back(1);
  operands[vector] = reshapeTo(operands[vector], sizes, dot);
  std::vector<int64_t> result(dot.shape().dimensions().begin(), dot.shape().dimensions().end());
  result.insert(vector == 0 ? result.end() - 1 : result.end(), 1);
  Instruction* made = dot.parent().createLike(dot, operands, &dot);
  made->setShape(arrayLike(dot.shape(), dot.shape().elementType(), result));
  return reshapedAs(made, dot.shape(), dot);
}

}  // namespace

Result<bool> rewriteGemvs(Module& module, PassContext& context) {
  return rewriteEach(module, context, "rewritten", isGemv, asGemm);
}

}  // namespace hilo
