#include "core/hlo/verify/shape_compare.h"

#include <algorithm>
#include <tuple>

namespace hilo {

namespace {

bool sameSizes(Shape a, Shape b) { return std::ranges::equal(a.dimensions(), b.dimensions(), sameSize); }

bool sameElement(ElementType a, ElementType b, ShapeComparison comparison) {
  return a == b || comparison.ignoreElementType || (comparison.ignoreFloatWidth && isFloat(a) && isFloat(b));
}

// Range and precision of a float type: the exponent at which it overflows, and the bits of its significand.
std::pair<int, int> floatReach(ElementType type) {
  switch (type) {
    case ElementType::F64:
      return {1024, 53};
    case ElementType::F32:
      return {128, 24};
    case ElementType::BF16:
      return {128, 8};
    case ElementType::F8E8M0FNU:
      return {128, 1};
    case ElementType::F16:
      return {16, 11};
    case ElementType::F8E5M2:
    case ElementType::F8E5M2FNUZ:
      return {16, 3};
    case ElementType::F8E4M3FN:
      return {9, 4};
    case ElementType::F8E4M3:
    case ElementType::F8E4M3FNUZ:
      return {8, 4};
    case ElementType::F8E4M3B11FNUZ:
      return {5, 4};
    case ElementType::F6E3M2FN:
      return {5, 3};
    case ElementType::F8E3M4:
      return {4, 5};
    case ElementType::F6E2M3FN:
      return {3, 4};
    case ElementType::F4E2M1FN:
      return {3, 2};
    default:
      return {-1, -1};
  }
}

}  // namespace

bool compatible(Shape a, Shape b, ShapeComparison comparison) {
  a = a.withoutLayout();
  b = b.withoutLayout();
  if (a == b) return true;
  if (a.isBuffer() || b.isBuffer()) {
    if (!comparison.ignoreBuffer && a.isBuffer() != b.isBuffer()) return false;
    return compatible(a.isBuffer() ? a.bufferShape() : a, b.isBuffer() ? b.bufferShape() : b, comparison);
  }
  if (a.isTuple() || b.isTuple()) {
    return a.isTuple() && b.isTuple() &&
           std::ranges::equal(a.tupleShapes(), b.tupleShapes(),
                              [&](Shape x, Shape y) { return compatible(x, y, comparison); });
  }
  if (!a.isArray() || !b.isArray()) return a.elementType() == b.elementType();
  return sameElement(a.elementType(), b.elementType(), comparison) && sameSizes(a, b);
}

bool sameWithLayout(Shape a, Shape b, LayoutComparison comparison) {
  if (a == b) return true;
  if (!compatible(a, b)) return false;
  if (a.isTuple()) {
    return std::ranges::equal(a.tupleShapes(), b.tupleShapes(),
                              [&](Shape x, Shape y) { return sameWithLayout(x, y, comparison); });
  }
  if (a.isBuffer()) return sameWithLayout(a.bufferShape(), b.bufferShape(), comparison);
  if (a.layout() == nullptr || b.layout() == nullptr) return a.layout() == b.layout();
  if (comparison.onlyMinorToMajor) return a.layout()->minorToMajor == b.layout()->minorToMajor;
  Layout x = *a.layout(), y = *b.layout();
  for (Layout* layout : {&x, &y}) {
    if (comparison.ignoreTiles) layout->tiles.clear();
    if (comparison.ignoreMemorySpace) layout->memorySpace = 0;
  }
  return x == y;
}

bool sameDimensions(Shape a, Shape b) { return a == b || sameSizes(a, b); }

bool sameElementButFloatWidth(ElementType a, ElementType b) { return a == b || (isFloat(a) && isFloat(b)); }

ElementType higherPrecision(ElementType a, ElementType b) {
  if (a == b) return a;
  const auto weight = [](ElementType type) {
    const ElementType component = isComplex(type) ? complexComponent(type) : type;
    return std::tuple(isComplex(type), floatReach(component), elementBits(component), isSigned(component));
  };
  return weight(a) >= weight(b) ? a : b;
}

const Shape* subshapeAt(const Shape& shape, std::span<const int64_t> index) {
  const Shape* at = &shape;
  for (int64_t i : index) {
    const auto elements = at->tupleShapes();
    if (i < 0 || i >= static_cast<int64_t>(elements.size())) return nullptr;
    at = &elements[static_cast<size_t>(i)];
  }
  return at;
}

size_t leafCount(Shape shape) {
  if (!shape.isTuple()) return 1;
  size_t count = 0;
  for (Shape element : shape.tupleShapes()) count += leafCount(element);
  return count;
}

}  // namespace hilo
