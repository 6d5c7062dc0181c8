#include "core/compiler/passes/dots/dot_dimension_merger.h"

#include "core/compiler/passes/dots/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool hasBatchDims(const Instruction& i) {
  if (i.opcode() != Opcode::Dot || i.operandCount() != 2 || !isCanonicalDot(i)) return false;
  if (!liesRowMajor(i.shape()) || !liesRowMajor(i.operand(0)->shape()) ||
      !liesRowMajor(i.operand(1)->shape()))
    return false;
  return i.get<Attr::LhsBatchDims>().size() > 1 && i.shape().elementCount() > 0;
}

// The array with its first `count` dimensions as one.
std::vector<int64_t> mergedSizes(Shape shape, size_t count) {
  std::vector<int64_t> sizes = {1};
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d < count) {
      sizes[0] *= shape.dimension(d);
    } else {
      sizes.push_back(shape.dimension(d));
    }
  }
  return sizes;
}

Instruction* merged(Instruction& dot) {
  const size_t count = dot.get<Attr::LhsBatchDims>().size();
  const auto less = static_cast<int64_t>(count) - 1;
  std::vector<Instruction*> operands;
  for (Instruction* operand : dot.operands())
    operands.push_back(reshapeTo(operand, mergedSizes(operand->shape(), count), dot));
  Instruction* made = dot.parent().createLike(dot, operands, &dot);
  made->setShape(arrayLike(dot.shape(), dot.shape().elementType(), mergedSizes(dot.shape(), count)));
  for (size_t side = 0; side < 2; ++side) {
    const std::vector<int64_t> batch = {0}, summed = {dotSide(dot, side).contracting[0] - less};
    setDotSide(*made, side, batch, summed);
  }
  return reshapedAs(made, dot.shape(), dot);
}

}  // namespace

Result<bool> mergeDotDimensions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "merged", hasBatchDims, merged);
}

}  // namespace hilo
