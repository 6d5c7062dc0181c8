#include "core/compiler/passes/reductions/layout_normalizer.h"

#include <algorithm>

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isOutOfOrder(const Instruction& i) {
  if (i.opcode() != Opcode::Reduce || i.operandCount() != 2) return false;
  const Shape array = i.operand(0)->shape();
  return array.layout() != nullptr && i.shape().layout() != nullptr && isPlainArray(array) &&
         isPlainArray(i.shape()) && !liesRowMajor(array);
}

// The place of a dimension of the operand among the ones that are kept.
int64_t keptPlace(const Instruction& reduce, int64_t dimension) {
  return dimension - std::ranges::count_if(reduce.dimensions(), [&](int64_t d) { return d < dimension; });
}

Instruction* inRowMajorOrder(Instruction& reduce) {
  const Shape array = reduce.operand(0)->shape();
  const auto& order = array.layout()->minorToMajor;
  std::vector<int64_t> sizes, dims, kept, keptDims;
  for (size_t k = order.size(); k-- > 0;) {
    const int64_t dimension = order[k], size = array.dimension(static_cast<size_t>(dimension));
    if (isReducedDim(reduce, static_cast<size_t>(dimension))) {
      dims.push_back(static_cast<int64_t>(sizes.size()));
    } else {
      kept.push_back(size);
      keptDims.push_back(keptPlace(reduce, dimension));
    }
    sizes.push_back(size);
  }
  // The result's dimensions have moved; its bytes lie where they lay.
  Layout layout;
  for (const int64_t d : reduce.shape().layout()->minorToMajor)
    layout.minorToMajor.push_back(std::ranges::find(keptDims, d) - keptDims.begin());
  Instruction* operand = bitcastTo(reduce.operand(0), arrayLike(array, array.elementType(), sizes), reduce);
  Instruction* made = reduce.parent().createLike(reduce, {{operand, reduce.operand(1)}}, &reduce);
  made->setShape(Shape::array(reduce.shape().elementType(), kept, &layout));
  made->set<Attr::Dimensions>(dims);
  return bitcastTo(made, reduce.shape(), reduce);
}

}  // namespace

Result<bool> normalizeReductionLayouts(Module& module, PassContext& context) {
  return rewriteEach(module, context, "normalized", isOutOfOrder, inRowMajorOrder);
}

}  // namespace hilo
