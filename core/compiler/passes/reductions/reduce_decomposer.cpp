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

std::span<const Shape> resultShapes(const Instruction& reduce, const Shape& whole) {
  return reduce.shape().isTuple() ? reduce.shape().tupleShapes() : std::span(&whole, 1);
}

bool liesAs(Shape shape, const Layout& layout) { return shape.layout()->minorToMajor == layout.minorToMajor; }

// Some array lies otherwise than the first, or some result otherwise than the first array leaves it.
bool changesOrder(const Instruction& i) {
  if (i.opcode() != Opcode::Reduce) return false;
  const auto isPlain = [](Shape shape) { return shape.layout() != nullptr && isPlainArray(shape); };
  const Shape whole = i.shape();
  const auto results = resultShapes(i, whole);
  const auto arrays = reducedArrays(i);
  if (!std::ranges::all_of(arrays, [&](const Instruction* array) { return isPlain(array->shape()); }) ||
      !std::ranges::all_of(results, isPlain))
    return false;
  const Layout first = *arrays[0]->shape().layout(), left = layoutLeft(i);
  return std::ranges::any_of(arrays, [&](const Instruction* a) { return !liesAs(a->shape(), first); }) ||
         std::ranges::any_of(results, [&](Shape shape) { return !liesAs(shape, left); });
}

Instruction* copiedTo(Instruction* value, Shape shape, Instruction& before) {
  return value->shape() == shape ? value : before.parent().create(Opcode::Copy, shape, {value}, {}, &before);
}

Instruction* inOrderAndCopied(Instruction& reduce) {
  const Layout first = *reduce.operand(0)->shape().layout(), left = layoutLeft(reduce);
  std::vector<Instruction*> operands(reduce.operands().begin(), reduce.operands().end());
  for (size_t k = 0; k < reducedArrays(reduce).size(); ++k)
    operands[k] = copiedTo(operands[k], operands[k]->shape().withLayout(&first), reduce);
  Instruction* made = reduce.parent().createLike(reduce, operands, &reduce);
  if (!reduce.shape().isTuple()) {
    made->setShape(reduce.shape().withLayout(&left));
    return copiedTo(made, reduce.shape(), reduce);
  }
  std::vector<Shape> shapes;
  for (const Shape shape : reduce.shape().tupleShapes()) shapes.push_back(shape.withLayout(&left));
  made->setShape(Shape::tuple(shapes));
  if (made->shape() == reduce.shape()) return made;
  std::vector<Instruction*> results = resultsOf(made, reduce);
  for (size_t k = 0; k < results.size(); ++k)
    results[k] = copiedTo(results[k], reduce.shape().tupleShapes()[k], reduce);
  return reduce.parent().create(Opcode::Tuple, reduce.shape(), results, {}, &reduce);
}

}  // namespace

Result<bool> decomposeReduces(Module& module, PassContext& context) {
  return rewriteEach(module, context, "decomposed", changesOrder, inOrderAndCopied);
}

}  // namespace hilo
