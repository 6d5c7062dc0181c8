#include "core/compiler/passes/shape_ops.h"

#include <algorithm>

namespace hilo {
namespace {

Instruction* made(Instruction* instruction, const Instruction& before) {
  if (const OpMetadata* metadata = before.get<Attr::Metadata>()) instruction->set<Attr::Metadata>(metadata);
  return instruction;
}

}  // namespace

bool isPlainArray(Shape shape) {
  if (!shape.isArray() || shape.isDynamic()) return false;
  const Layout* layout = shape.layout();
  return layout == nullptr || *layout == Layout{.minorToMajor = layout->minorToMajor};
}

bool liesRowMajor(Shape shape) {
  return isPlainArray(shape) && (shape.layout() == nullptr || shape.layout()->isDescending());
}

Shape arrayLike(Shape shape, ElementType type, std::span<const int64_t> dimensions) {
  const Shape made = Shape::array(type, dimensions);
  return shape.layout() == nullptr ? made : made.withDefaultLayout();
}

Instruction* reshapeTo(Instruction* value, std::span<const int64_t> dimensions, Instruction& before) {
  if (std::ranges::equal(value->shape().dimensions(), dimensions)) return value;
  const Shape shape = arrayLike(value->shape(), value->shape().elementType(), dimensions);
  return made(before.parent().create(Opcode::Reshape, shape, {value}, {}, &before), before);
}

Instruction* reshapedAs(Instruction* value, Shape shape, Instruction& before) {
  if (value->shape() == shape) return value;
  return made(before.parent().create(Opcode::Reshape, shape, {value}, {}, &before), before);
}

Instruction* transposeBy(Instruction* value, std::span<const int64_t> permutation, Instruction& before) {
  if (std::ranges::is_sorted(permutation)) return value;
  std::vector<int64_t> sizes;
  for (const int64_t d : permutation) sizes.push_back(value->shape().dimension(static_cast<size_t>(d)));
  const Shape shape = arrayLike(value->shape(), value->shape().elementType(), sizes);
  Instruction* transpose =
      made(before.parent().create(Opcode::Transpose, shape, {value}, {}, &before), before);
  transpose->set<Attr::Dimensions>(permutation);
  return transpose;
}

Instruction* broadcastTo(Instruction* value, std::span<const int64_t> sizes,
                         std::span<const int64_t> dimensions, Instruction& before) {
  if (std::ranges::equal(value->shape().dimensions(), sizes)) return value;
  const Shape shape = arrayLike(value->shape(), value->shape().elementType(), sizes);
  Instruction* broadcast =
      made(before.parent().create(Opcode::Broadcast, shape, {value}, {}, &before), before);
  broadcast->set<Attr::Dimensions>(dimensions);
  return broadcast;
}

Instruction* convertTo(Instruction* value, ElementType type, Instruction& before) {
  if (value->shape().elementType() == type) return value;
  return made(
      before.parent().create(Opcode::Convert, value->shape().withElementType(type), {value}, {}, &before),
      before);
}

Instruction* elementOf(Instruction* value, int64_t k, Instruction& before) {
  const int64_t count = value->shape().elementCount();
  Instruction* vector = reshapeTo(value, std::vector<int64_t>{count}, before);
  if (count > 1) {
    const Shape one = arrayLike(vector->shape(), vector->shape().elementType(), std::vector<int64_t>{1});
    vector = made(before.parent().create(Opcode::Slice, one, {vector}, {}, &before), before);
    vector->set<Attr::Slice>(std::vector<SliceRange>{{.start = k, .limit = k + 1}});
  }
  return reshapeTo(vector, std::vector<int64_t>{}, before);
}

Instruction* cutTo(Instruction* value, std::span<const int64_t> sizes, Instruction& before) {
  if (std::ranges::equal(value->shape().dimensions(), sizes)) return value;
  const Shape shape = arrayLike(value->shape(), value->shape().elementType(), sizes);
  Instruction* slice = made(before.parent().create(Opcode::Slice, shape, {value}, {}, &before), before);
  std::vector<SliceRange> ranges;
  for (const int64_t size : sizes) ranges.push_back({.start = 0, .limit = size});
  slice->set<Attr::Slice>(ranges);
  return slice;
}

Instruction* padTo(Instruction* value, std::span<const int64_t> sizes, Instruction* fill,
                   Instruction& before) {
  if (std::ranges::equal(value->shape().dimensions(), sizes)) return value;
  const Shape shape = arrayLike(value->shape(), value->shape().elementType(), sizes);
  std::vector<PaddingDimension> padding;
  for (size_t d = 0; d < sizes.size(); ++d)
    padding.push_back({.high = sizes[d] - value->shape().dimension(d)});
  Instruction* pad = made(before.parent().create(Opcode::Pad, shape, {value, fill}, {}, &before), before);
  pad->set<Attr::Padding>(padding);
  return pad;
}

Instruction* elementOfTuple(Instruction* tuple, int64_t index, Instruction& before) {
  if (tuple->opcode() == Opcode::Tuple) return tuple->operand(static_cast<size_t>(index));
  Instruction* element =
      before.parent().create(Opcode::GetTupleElement,
                             tuple->shape().tupleShapes()[static_cast<size_t>(index)], {tuple}, {}, &before);
  element->set<Attr::Index>(index);
  return element;
}

Instruction* bitcastTo(Instruction* value, Shape shape, Instruction& before) {
  if (value->shape() == shape) return value;
  return made(before.parent().create(Opcode::Bitcast, shape, {value}, {}, &before), before);
}

Computation* additionOf(Module& module, ElementType type, Computation* before) {
  Computation* add = module.createComputation(module.uniqueName("add_computation"), before);
  const Shape scalar = Shape::scalar(type).withDefaultLayout();
  Instruction* x = add->createParameter(0, scalar);
  Instruction* y = add->createParameter(1, scalar);
  add->setRoot(add->create(Opcode::Add, scalar, {x, y}));
  return add;
}

}  // namespace hilo
