#include "core/compiler/passes/dots/pad_for_gemms.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// 1: sizes do not matter.
int64_t multipleFor(ElementType type) {
  if (type == ElementType::S8) return 4;
  return type == ElementType::F16 || type == ElementType::BF16 ? 8 : 1;
}

std::vector<int64_t> paddedSizes(Shape shape, int64_t multiple) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  for (size_t d = sizes.size() - 2; d < sizes.size(); ++d)
    sizes[d] = (sizes[d] + multiple - 1) / multiple * multiple;
  return sizes;
}

bool wantsPadding(const Instruction& i) {
  if (i.opcode() != Opcode::Dot || i.operandCount() != 2 || !isCanonicalDot(i) || !liesRowMajor(i.shape()) ||
      i.shape().elementCount() == 0)
    return false;
  const ElementType type = i.operand(0)->shape().elementType();
  const int64_t multiple = multipleFor(type);
  bool isOdd = false;
  for (size_t side = 0; side < 2; ++side) {
    const Shape shape = i.operand(side)->shape();
    if (dotSide(i, side).free.size() != 1 || shape.elementType() != type || !liesRowMajor(shape))
      return false;
    isOdd |= !std::ranges::equal(shape.dimensions(), paddedSizes(shape, multiple));
  }
  return isOdd;
}

Instruction* padded(Instruction& dot) {
  const int64_t multiple = multipleFor(dot.operand(0)->shape().elementType());
  const Shape scalar = arrayLike(dot.operand(0)->shape(), dot.operand(0)->shape().elementType(), {});
  Instruction* zero = algebra::makeSplat(dot, scalar, 0);
  std::vector<Instruction*> operands;
  for (Instruction* operand : dot.operands())
    operands.push_back(padTo(operand, paddedSizes(operand->shape(), multiple), zero, dot));
  Instruction* made = dot.parent().createLike(dot, operands, &dot);
  made->setShape(arrayLike(dot.shape(), dot.shape().elementType(), paddedSizes(dot.shape(), multiple)));
  return cutTo(made, dot.shape().dimensions(), dot);
}

}  // namespace

Result<bool> padForGemms(Module& module, PassContext& context) {
  return rewriteEach(module, context, "padded", wantsPadding, padded);
}

}  // namespace hilo
