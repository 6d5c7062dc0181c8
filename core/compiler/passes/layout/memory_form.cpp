#include "core/compiler/passes/layout/memory_form.h"

#include <algorithm>

#include "core/compiler/passes/shape_ops.h"

namespace hilo {

Dims orderOf(Shape shape) {
  const auto& minorToMajor = shape.layout()->minorToMajor;
  return {minorToMajor.rbegin(), minorToMajor.rend()};
}

Dims placesOf(Shape shape) {
  const Dims order = orderOf(shape);
  Dims places(order.size());
  for (size_t k = 0; k < order.size(); ++k) places[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  return places;
}

Shape inMemory(Shape shape) {
  Dims sizes;
  for (const int64_t d : orderOf(shape)) sizes.push_back(shape.dimension(static_cast<size_t>(d)));
  Layout layout = Layout::descending(sizes.size());
  layout.elementSizeInBits = shape.layout()->elementSizeInBits;
  return Shape::array(shape.elementType(), sizes, &layout);
}

bool hasOrder(Shape shape) { return isPlainArray(shape) && shape.layout() != nullptr; }

bool hasOrderOfElements(Shape shape) {
  if (!shape.isArray() || shape.layout() == nullptr) return false;
  Layout layout = *shape.layout();
  layout.elementSizeInBits = 0;
  return isPlainArray(shape.withLayout(&layout));
}

Instruction* normal(Instruction* value, Instruction& before) {
  const Shape shape = inMemory(value->shape());
  if (value->opcode() == Opcode::Bitcast && value->operand(0)->shape() == shape) return value->operand(0);
  return bitcastTo(value, shape, before);
}

Instruction* groupedTranspose(Instruction* value, const Dims& permutation, Instruction& before) {
  // Groups of dimensions of the result.
  std::vector<Dims> groups;
  for (const int64_t d : permutation) {
    if (value->shape().dimension(static_cast<size_t>(d)) == 1) continue;
    const bool follows = !groups.empty() && [&] {
      for (int64_t k = groups.back().back() + 1; k < d; ++k) {
        if (value->shape().dimension(static_cast<size_t>(k)) != 1) return false;
      }
      return groups.back().back() < d;
    }();
    if (follows) {
      groups.back().push_back(d);
    } else {
      groups.push_back({d});
    }
  }
  Dims sizes;
  for (const int64_t d : permutation) sizes.push_back(value->shape().dimension(static_cast<size_t>(d)));
  const Shape wanted = Shape::array(value->shape().elementType(), sizes).withDefaultLayout();
  std::vector<Dims> byPlace = groups;
  std::ranges::sort(byPlace);
  Dims grouped, order;
  for (const Dims& group : byPlace) {
    int64_t size = 1;
    for (const int64_t d : group) size *= value->shape().dimension(static_cast<size_t>(d));
    grouped.push_back(size);
  }
  for (const Dims& group : groups) order.push_back(std::ranges::find(byPlace, group) - byPlace.begin());
  Instruction* joined =
      bitcastTo(value, Shape::array(value->shape().elementType(), grouped).withDefaultLayout(), before);
  return bitcastTo(transposeBy(joined, order, before), wanted, before);
}

}  // namespace hilo
