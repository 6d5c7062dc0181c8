#include "core/compiler/passes/reductions/reduce_decomposer.h"

#include <algorithm>

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The order of the dimensions that are kept, as the operand has them.
Layout layoutLeft(const Instruction& reduce) {
  Layout layout;
  for (const int64_t d : reduce.operand(0)->shape().layout()->minorToMajor) {
    if (isReducedDim(reduce, static_cast<size_t>(d))) continue;
    layout.minorToMajor.push_back(
        d - std::ranges::count_if(reduce.dimensions(), [&](int64_t reduced) { return reduced < d; }));
  }
  return layout;
}

bool changesOrder(const Instruction& i) {
  if (i.opcode() != Opcode::Reduce || i.operandCount() != 2) return false;
  const Shape array = i.operand(0)->shape();
  return array.layout() != nullptr && i.shape().layout() != nullptr && isPlainArray(array) &&
         isPlainArray(i.shape()) && layoutLeft(i).minorToMajor != i.shape().layout()->minorToMajor;
}

Instruction* inOrderAndCopied(Instruction& reduce) {
  const Layout layout = layoutLeft(reduce);
  Instruction* made = reduce.parent().createLike(reduce, reduce.operands(), &reduce);
  made->setShape(reduce.shape().withLayout(&layout));
  return reduce.parent().create(Opcode::Copy, reduce.shape(), {made}, {}, &reduce);
}

}  // namespace

Result<bool> decomposeReduces(Module& module, PassContext& context) {
  return rewriteEach(module, context, "decomposed", changesOrder, inOrderAndCopied);
}

}  // namespace hilo
