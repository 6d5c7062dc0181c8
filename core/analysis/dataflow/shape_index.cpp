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

namespace {

// Dimensions from slow to fast, the last of them cut into tiles: how many there are, then the tile's own.
std::vector<int64_t> tiled(const std::vector<int64_t>& dimensions, const Tile& tile) {
  std::vector<int64_t> outer = dimensions, sizes = tile.dimensions;
  std::vector<int64_t> inner;
  // A dimension that is combined is merged with the next faster one.
  for (size_t i = 0; i < sizes.size();) {
    if (sizes[i] != Tile::kCombineDimension) {
      ++i;
      continue;
    }
    const size_t at = outer.size() >= sizes.size() ? outer.size() - sizes.size() + i : outer.size();
    if (at + 1 < outer.size()) {
      outer[at + 1] = saturatingMultiply(outer[at], outer[at + 1]);
      outer.erase(outer.begin() + static_cast<int64_t>(at));
    }
    sizes.erase(sizes.begin() + static_cast<int64_t>(i));
  }
  while (outer.size() < sizes.size()) outer.insert(outer.begin(), 1);
  const size_t first = outer.size() - sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t size = std::max<int64_t>(sizes[i], 1);
    outer[first + i] = outer[first + i] / size + (outer[first + i] % size != 0);
    inner.push_back(size);
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

int64_t tiledBytes(Shape shape) {
  const Layout& layout = *shape.layout();
  std::vector<int64_t> dimensions;
  for (size_t i = layout.minorToMajor.size(); i-- > 0;) {
    const int64_t dimension = layout.minorToMajor[i];
    if (dimension >= 0 && dimension < static_cast<int64_t>(shape.rank()))
      dimensions.push_back(shape.dimension(static_cast<size_t>(dimension)));
  }
  for (const Tile& tile : layout.tiles) dimensions = tiled(dimensions, tile);
  int64_t elements = 1;
  for (const int64_t dimension : dimensions)
    elements = saturatingMultiply(elements, std::max<int64_t>(dimension, 0));
  const int64_t bits =
      layout.elementSizeInBits > 0 ? layout.elementSizeInBits : 8 * elementStorageBytes(shape.elementType());
  const int64_t total = saturatingMultiply(elements, bits);
  return total == std::numeric_limits<int64_t>::max() ? total : total / 8 + (total % 8 != 0);
}

}  // namespace

int64_t bufferBytes(Shape shape, int64_t pointerBytes) {
  if (shape.isTuple()) {
    return saturatingMultiply(static_cast<int64_t>(shape.tupleShapes().size()), pointerBytes);
  }
  if (shape.isBuffer()) return bufferBytes(shape.bufferShape(), pointerBytes);
  if (shape.isOpaque()) return pointerBytes;
  if (!shape.isArray()) return 0;
  const bool hasTiles = shape.layout() != nullptr && !shape.layout()->tiles.empty();
  return hasTiles ? tiledBytes(shape) : shape.byteSize();
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
