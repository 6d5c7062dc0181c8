#include "core/analysis/memory/memory_space.h"

#include <algorithm>

#include "core/base/check.h"

namespace hilo {
namespace {

// What `change` makes of each array.
template <typename Change>
Shape withArrays(Shape shape, const Change& change) {
  if (shape.isArray()) return change(shape);
  if (!shape.isTuple()) return shape;
  std::vector<Shape> parts;
  for (const Shape part : shape.tupleShapes()) parts.push_back(withArrays(part, change));
  return Shape::tuple(parts);
}

size_t arraysOf(Shape shape, bool onHostOnly) {
  if (shape.isArray()) return !onHostOnly || isOnHost(shape) ? 1 : 0;
  size_t count = 0;
  if (!shape.isTuple()) return count;
  for (const Shape part : shape.tupleShapes()) count += arraysOf(part, onHostOnly);
  return count;
}

}  // namespace

bool isOnHost(Shape shape) {
  return shape.isArray() && shape.layout() != nullptr && shape.layout()->memorySpace == kHostSpace;
}

bool hasPartOnHost(Shape shape) { return arraysOf(shape, true) > 0; }

bool isAllOnHost(Shape shape) {
  const size_t arrays = arraysOf(shape, false);
  return arrays > 0 && arraysOf(shape, true) == arrays;
}

Shape withSubshape(Shape shape, std::span<const int64_t> index, Shape part) {
  if (index.empty()) return part;
  CHECK(shape.isTuple() && index[0] >= 0 && static_cast<size_t>(index[0]) < shape.tupleShapes().size());
  std::vector<Shape> parts(shape.tupleShapes().begin(), shape.tupleShapes().end());
  Shape& changed = parts[static_cast<size_t>(index[0])];
  changed = withSubshape(changed, index.subspan(1), part);
  return Shape::tuple(parts);
}

Shape withMemorySpace(Shape shape, std::span<const int64_t> index, int64_t space) {
  const std::optional<Shape> part = subshapeAt(shape, index);
  CHECK(part.has_value());
  return withSubshape(shape, index, withArrays(*part, [&](Shape array) {
                        Layout layout =
                            array.layout() != nullptr ? *array.layout() : Layout::descending(array.rank());
                        layout.memorySpace = space;
                        return array.withLayout(&layout);
                      }));
}

Shape withoutHostSpace(Shape shape) {
  return withArrays(
      shape, [](Shape array) { return isOnHost(array) ? withMemorySpace(array, kDeviceSpace) : array; });
}

}  // namespace hilo
