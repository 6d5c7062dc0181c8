#include "core/compiler/passes/reductions/layout_normalizer.h"

#include <algorithm>

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The arrays lie in one order that is not row-major. Layout assignment makes no others.
bool isOutOfOrder(const Instruction& i) {
  if (i.opcode() != Opcode::Reduce) return false;
  const Shape array = i.operand(0)->shape();
  const auto isPlain = [](Shape shape) { return shape.layout() != nullptr && isPlainArray(shape); };
  if (!isPlain(array) || liesRowMajor(array)) return false;
  const bool alike = std::ranges::all_of(reducedArrays(i), [&](const Instruction* other) {
    return isPlain(other->shape()) && other->shape().layout()->minorToMajor == array.layout()->minorToMajor;
  });
  return alike &&
         (i.shape().isTuple() ? std::ranges::all_of(i.shape().tupleShapes(), isPlain) : isPlain(i.shape()));
}

// The place of a dimension of the operand among the ones that are kept.
int64_t keptPlace(const Instruction& reduce, int64_t dimension) {
  return dimension - std::ranges::count_if(reduce.dimensions(), [&](int64_t d) { return d < dimension; });
}

// A result with its dimensions in the order `keptDims`; its bytes lie where they lay.
Shape inOrder(Shape result, std::span<const int64_t> keptDims) {
  Layout layout;
  std::vector<int64_t> sizes;
  for (const int64_t d : keptDims) sizes.push_back(result.dimension(static_cast<size_t>(d)));
  for (const int64_t d : result.layout()->minorToMajor)
    layout.minorToMajor.push_back(std::ranges::find(keptDims, d) - keptDims.begin());
  return Shape::array(result.elementType(), sizes, &layout);
}

Instruction* inRowMajorOrder(Instruction& reduce) {
  const Shape array = reduce.operand(0)->shape();
  const auto& order = array.layout()->minorToMajor;
  std::vector<int64_t> sizes, dims, keptDims;
  for (size_t k = order.size(); k-- > 0;) {
    const int64_t dimension = order[k];
    if (isReducedDim(reduce, static_cast<size_t>(dimension))) {
      dims.push_back(static_cast<int64_t>(sizes.size()));
    } else {
      keptDims.push_back(keptPlace(reduce, dimension));
    }
    sizes.push_back(array.dimension(static_cast<size_t>(dimension)));
  }
  std::vector<Instruction*> arrays;
  for (Instruction* each : reducedArrays(reduce))
    arrays.push_back(bitcastTo(each, arrayLike(array, each->shape().elementType(), sizes), reduce));
  Instruction* made = reduceOver(arrays, dims, reduce);
  if (!reduce.shape().isTuple()) {
    made->setShape(inOrder(reduce.shape(), keptDims));
    return bitcastTo(made, reduce.shape(), reduce);
  }
  std::vector<Shape> shapes;
  for (const Shape result : reduce.shape().tupleShapes()) shapes.push_back(inOrder(result, keptDims));
  made->setShape(Shape::tuple(shapes));
  std::vector<Instruction*> results = resultsOf(made, reduce);
  for (size_t k = 0; k < results.size(); ++k)
    results[k] = bitcastTo(results[k], reduce.shape().tupleShapes()[k], reduce);
  return reduce.parent().create(Opcode::Tuple, reduce.shape(), results, {}, &reduce);
}

}  // namespace

Result<bool> normalizeReductionLayouts(Module& module, PassContext& context) {
  return rewriteEach(module, context, "normalized", isOutOfOrder, inRowMajorOrder);
}

}  // namespace hilo
