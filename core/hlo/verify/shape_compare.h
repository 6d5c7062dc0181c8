// When two shapes go together, the ways XLA asks it (Shape::Equal and its options in XLA's shape.h). All of
// these ignore layouts and whether a dimension is dynamic; an unbounded dimension goes with any size. Equal
// pointers answer at once.
#pragma once

#include "core/hlo/ir/shape.h"

namespace hilo {

struct ShapeComparison {
  bool ignoreElementType = false;
  bool ignoreFloatWidth = false;  // any two float types go together
  bool ignoreBuffer = false;      // b(f32[2]) goes with f32[2]
};
bool compatible(Shape a, Shape b, ShapeComparison comparison);
inline bool compatible(Shape a, Shape b) { return a == b || compatible(a, b, ShapeComparison{}); }
inline bool compatibleButFloatWidth(Shape a, Shape b) {
  return a == b || compatible(a, b, {.ignoreFloatWidth = true});
}
inline bool compatibleButElementType(Shape a, Shape b) {
  return a == b || compatible(a, b, {.ignoreElementType = true});
}
// compatible(), and the same layouts: all of them, or only the order of dimensions. A shape with a layout
// does not go with one without.
struct LayoutComparison {
  bool onlyMinorToMajor = false;
  bool ignoreTiles = false;
  bool ignoreMemorySpace = false;
};
bool sameWithLayout(Shape a, Shape b, LayoutComparison comparison = {});
// The same rank and sizes, of arrays.
bool sameDimensions(Shape a, Shape b);
inline bool sameSize(int64_t a, int64_t b) { return a == b || a == kUnboundedSize || b == kUnboundedSize; }

bool sameElementButFloatWidth(ElementType a, ElementType b);
// Of two types that go together, the one that holds more: first by exponent range, then by precision.
ElementType higherPrecision(ElementType a, ElementType b);

// The shape at `index` inside a tuple, or null when there is none.
const Shape* subshapeAt(const Shape& shape, std::span<const int64_t> index);
// Arrays, tokens and the like in a tuple, at all depths.
size_t leafCount(Shape shape);

}  // namespace hilo
