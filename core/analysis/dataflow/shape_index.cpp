#include "core/analysis/dataflow/shape_index.h"

#include "core/analysis/saturating.h"

namespace hilo {

std::string toString(const ShapeIndex& index) { return fmt::format("{{{}}}", fmt::join(index, ",")); }

ShapeIndex shapeIndexOf(std::span<const int64_t> path) { return ShapeIndex(path.begin(), path.end()); }

std::optional<Shape> subshapeAt(Shape shape, std::span<const int64_t> index) {
  for (const int64_t element : index) {
    const auto elements = shape.tupleShapes();
    if (element < 0 || element >= static_cast<int64_t>(elements.size())) return std::nullopt;
    shape = elements[static_cast<size_t>(element)];
  }
  return shape;
}

int64_t bufferBytes(Shape shape, int64_t pointerBytes) {
  if (shape.isTuple()) {
    return saturatingMultiply(static_cast<int64_t>(shape.tupleShapes().size()), pointerBytes);
  }
  if (shape.isBuffer()) return bufferBytes(shape.bufferShape(), pointerBytes);
  if (shape.isOpaque()) return pointerBytes;
  return shape.isArray() ? shape.byteSize() : 0;
}

SubshapeTable::SubshapeTable(Shape shape) {
  ShapeIndex index;
  add(shape, index);
}

// Shapes are read from text or proto, whose own nesting is bounded.
void SubshapeTable::add(Shape shape, ShapeIndex& index) {
  const size_t self = parts_.size();
  const auto elements = shape.tupleShapes();
  parts_.push_back({shape, index, 1, static_cast<uint32_t>(children_.size())});
  const size_t firstChild = children_.size();
  children_.resize(children_.size() + elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    children_[firstChild + i] = size();
    index.push_back(static_cast<int64_t>(i));
    add(elements[i], index);
    index.pop_back();
  }
  parts_[self].count = static_cast<uint32_t>(parts_.size() - self);
}

uint32_t SubshapeTable::child(uint32_t ordinal, int64_t element) const {
  const Part& part = parts_[ordinal];
  if (element < 0 || element >= static_cast<int64_t>(part.shape.tupleShapes().size())) return kNone;
  return children_[part.firstChild + static_cast<size_t>(element)];
}

uint32_t SubshapeTable::find(std::span<const int64_t> index) const {
  uint32_t ordinal = 0;
  for (const int64_t element : index) {
    ordinal = child(ordinal, element);
    if (ordinal == kNone) return kNone;
  }
  return ordinal;
}

const SubshapeTable& SubshapeTables::of(Shape shape) {
  auto& table = tables_[shape.identity()];
  if (table == nullptr) table = std::make_unique<SubshapeTable>(shape);
  return *table;
}

}  // namespace hilo
