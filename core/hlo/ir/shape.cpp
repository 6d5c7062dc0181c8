#include "core/hlo/ir/shape.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <deque>
#include <mutex>

#include "core/base/check.h"
#include "core/base/enum_table.h"

namespace hilo {

struct ShapeData {
  ElementType type = ElementType::Tuple;
  std::vector<int64_t> dimensions;
  std::unique_ptr<bool[]> dynamic;  // null: all static
  std::unique_ptr<Layout> layout;
  std::vector<Shape> elements;  // of a tuple; the one inner shape of a buffer
  // Derived once when interned.
  int64_t elementCount = 1;
  bool isDynamic = false;
  mutable std::atomic<const void*> withoutLayout = nullptr;

  ShapeData() = default;
  ShapeData(ShapeData&& other) noexcept
      : type(other.type),
        dimensions(std::move(other.dimensions)),
        dynamic(std::move(other.dynamic)),
        layout(std::move(other.layout)),
        elements(std::move(other.elements)),
        elementCount(other.elementCount),
        isDynamic(other.isDynamic) {}
};

namespace {

int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

size_t hashOf(const ShapeData& data) {
  size_t hash = absl::HashOf(data.type, data.dimensions, data.elements.size());
  for (Shape element : data.elements) hash = absl::HashOf(hash, element.identity());
  if (data.dynamic) {
    for (size_t i = 0; i < data.dimensions.size(); ++i) hash = absl::HashOf(hash, data.dynamic[i]);
  }
  if (data.layout) {
    hash = absl::HashOf(hash, data.layout->minorToMajor, data.layout->memorySpace,
                        data.layout->elementSizeInBits, data.layout->tiles.size());
  }
  return hash;
}

bool sameShape(const ShapeData& a, const ShapeData& b) {
  if (a.type != b.type || a.dimensions != b.dimensions || a.elements != b.elements) return false;
  if (!a.dynamic != !b.dynamic || !a.layout != !b.layout) return false;
  if (a.dynamic && !std::equal(a.dynamic.get(), a.dynamic.get() + a.dimensions.size(), b.dynamic.get()))
    return false;
  return !a.layout || *a.layout == *b.layout;
}

struct HashShape {
  size_t operator()(const ShapeData* data) const { return hashOf(*data); }
};
struct EqualShape {
  bool operator()(const ShapeData* a, const ShapeData* b) const { return sameShape(*a, *b); }
};

// All shapes ever made. Never shrinks: a real module has some thousand distinct shapes of about 100 bytes.
struct ShapeTable {
  std::mutex mutex;
  absl::flat_hash_set<const ShapeData*, HashShape, EqualShape> set;
  std::deque<ShapeData> storage;
};

ShapeTable& shapeTable() {
  static ShapeTable* table = new ShapeTable;  // never destroyed: shapes may be read during exit
  return *table;
}

void appendDimensionLevels(std::string& out, const Layout& layout) {
  static constexpr EnumTable<DimLevelType, char> kNames({'D', 'C', 'S', 'H'});
  out += "D(";
  for (size_t i = 0; i < layout.dimLevels.size(); ++i) {
    const DimLevel& level = layout.dimLevels[i];
    if (i != 0) out += ',';
    out += kNames[level.type];
    if (!level.unique) out += '+';
    if (!level.ordered) out += '~';
  }
  out += ')';
}

void appendInts(std::string& out, std::span<const int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    fmt::format_to(std::back_inserter(out), "{}", values[i]);
  }
}

void appendTiles(std::string& out, const std::vector<Tile>& tiles) {
  out += 'T';
  for (const Tile& tile : tiles) {
    out += '(';
    for (size_t i = 0; i < tile.dimensions.size(); ++i) {
      if (i != 0) out += ',';
      if (tile.dimensions[i] == Tile::kCombineDimension) {
        out += '*';
      } else {
        fmt::format_to(std::back_inserter(out), "{}", tile.dimensions[i]);
      }
    }
    out += ')';
  }
}

void appendSplitConfigs(std::string& out, const std::vector<SplitConfig>& configs) {
  out += "SC";
  for (const SplitConfig& config : configs) {
    fmt::format_to(std::back_inserter(out), "({}:", config.dimension);
    appendInts(out, config.splitIndices);
    out += ')';
  }
}

}  // namespace

Layout Layout::descending(size_t rank) {
  Layout layout;
  layout.minorToMajor.resize(rank);
  for (size_t i = 0; i < rank; ++i) layout.minorToMajor[i] = static_cast<int64_t>(rank - 1 - i);
  return layout;
}

bool Layout::isDescending() const { return minorToMajor == descending(minorToMajor.size()).minorToMajor; }

Shape Shape::intern(ShapeData&& data) {
  ShapeTable& table = shapeTable();
  std::lock_guard lock(table.mutex);
  if (auto found = table.set.find(&data); found != table.set.end()) return Shape(*found);
  for (int64_t dimension : data.dimensions) {
    data.elementCount = saturatingMultiply(data.elementCount, std::max<int64_t>(dimension, 0));
  }
  data.isDynamic = data.dynamic != nullptr;
  for (Shape element : data.elements) data.isDynamic = data.isDynamic || element.isDynamic();
  const ShapeData* stored = &table.storage.emplace_back(std::move(data));
  table.set.insert(stored);
  return Shape(stored);
}

Shape::Shape() {
  static const Shape empty = intern(ShapeData());
  data_ = empty.data_;
}

Shape Shape::array(ElementType type, std::span<const int64_t> dimensions, const Layout* layout) {
  return dynamicArray(type, dimensions, {}, layout);
}

Shape Shape::dynamicArray(ElementType type, std::span<const int64_t> dimensions,
                          std::span<const bool> dynamic, const Layout* layout) {
  CHECK(isArrayElement(type));
  CHECK(dynamic.empty() || dynamic.size() == dimensions.size());
  ShapeData data;
  data.type = type;
  data.dimensions.assign(dimensions.begin(), dimensions.end());
  if (std::ranges::find(dynamic, true) != dynamic.end()) {
    data.dynamic = std::make_unique<bool[]>(dynamic.size());
    std::ranges::copy(dynamic, data.dynamic.get());
  }
  if (layout != nullptr) data.layout = std::make_unique<Layout>(*layout);
  return intern(std::move(data));
}

Shape Shape::tuple(std::span<const Shape> elements) {
  ShapeData data;
  data.elements.assign(elements.begin(), elements.end());
  return intern(std::move(data));
}

Shape Shape::token() {
  ShapeData data;
  data.type = ElementType::Token;
  return intern(std::move(data));
}

Shape Shape::opaque() {
  ShapeData data;
  data.type = ElementType::Opaque;
  return intern(std::move(data));
}

Shape Shape::buffer(Shape inner) {
  ShapeData data;
  data.type = ElementType::Buffer;
  data.elements.push_back(inner);
  return intern(std::move(data));
}

ElementType Shape::elementType() const { return data_->type; }

std::span<const int64_t> Shape::dimensions() const { return data_->dimensions; }

std::span<const bool> Shape::dynamicDimensions() const {
  return data_->dynamic ? std::span<const bool>(data_->dynamic.get(), data_->dimensions.size())
                        : std::span<const bool>();
}

bool Shape::isDynamicDimension(size_t index) const { return data_->dynamic && data_->dynamic[index]; }

bool Shape::isDynamic() const { return data_->isDynamic; }

bool Shape::hasUnboundedDimension() const {
  return std::ranges::find(data_->dimensions, kUnboundedSize) != data_->dimensions.end() ||
         std::ranges::any_of(data_->elements, &Shape::hasUnboundedDimension);
}

const Layout* Shape::layout() const { return data_->layout.get(); }

std::span<const Shape> Shape::tupleShapes() const {
  return isTuple() ? std::span<const Shape>(data_->elements) : std::span<const Shape>();
}

Shape Shape::bufferShape() const {
  CHECK(isBuffer());
  return data_->elements[0];
}

int64_t Shape::elementCount() const { return data_->elementCount; }

int64_t Shape::byteSize() const {
  if (isArray()) {
    const int64_t bits = data_->layout && data_->layout->elementSizeInBits > 0
                             ? data_->layout->elementSizeInBits
                             : 8 * elementStorageBytes(data_->type);
    if (bits % 8 == 0) return saturatingMultiply(data_->elementCount, bits / 8);
    const int64_t total = saturatingMultiply(data_->elementCount, bits);
    return total / 8 + (total % 8 != 0);
  }
  int64_t total = 0;
  for (Shape element : data_->elements) total = saturatingAdd(total, element.byteSize());
  return total;
}

Shape Shape::withoutLayout() const {
  if (const void* known = data_->withoutLayout.load(std::memory_order_acquire)) {
    return Shape(static_cast<const ShapeData*>(known));
  }
  Shape result = *this;
  if (isArray()) {
    if (layout() != nullptr) result = withLayout(nullptr);
  } else if (!data_->elements.empty()) {
    std::vector<Shape> elements;
    for (Shape element : data_->elements) elements.push_back(element.withoutLayout());
    result = isTuple() ? tuple(elements) : buffer(elements[0]);
  }
  data_->withoutLayout.store(result.data_, std::memory_order_release);
  return result;
}

Shape Shape::withLayout(const Layout* layout) const {
  CHECK(isArray());
  return dynamicArray(elementType(), dimensions(), dynamicDimensions(), layout);
}

Shape Shape::withDefaultLayout() const {
  if (isArray()) {
    if (layout() != nullptr) return *this;
    const Layout layout = Layout::descending(rank());
    return withLayout(&layout);
  }
  if (data_->elements.empty()) return *this;
  std::vector<Shape> elements;
  for (Shape element : data_->elements) elements.push_back(element.withDefaultLayout());
  return isTuple() ? tuple(elements) : buffer(elements[0]);
}

Shape Shape::withElementType(ElementType type) const {
  CHECK(isArray());
  return dynamicArray(type, dimensions(), dynamicDimensions(), layout());
}

Shape Shape::withStaticDimensions() const {
  if (!isDynamic()) return *this;
  if (isArray()) return array(elementType(), dimensions(), layout());
  std::vector<Shape> elements;
  for (Shape element : data_->elements) elements.push_back(element.withStaticDimensions());
  return isTuple() ? tuple(elements) : buffer(elements[0]);
}

void appendLayout(std::string& out, const Layout& layout) {
  out += '{';
  appendInts(out, layout.minorToMajor);
  std::string tail;
  if (!layout.dimLevels.empty()) appendDimensionLevels(tail, layout);
  if (!layout.tiles.empty()) appendTiles(tail, layout.tiles);
  if (layout.tailPaddingAlignment != 1)
    fmt::format_to(std::back_inserter(tail), "L({})", layout.tailPaddingAlignment);
  if (layout.indexPrimitiveType) {
    fmt::format_to(std::back_inserter(tail), "#({})", elementTypeName(*layout.indexPrimitiveType));
  }
  if (layout.pointerPrimitiveType) {
    fmt::format_to(std::back_inserter(tail), "*({})", elementTypeName(*layout.pointerPrimitiveType));
  }
  if (layout.elementSizeInBits != 0)
    fmt::format_to(std::back_inserter(tail), "E({})", layout.elementSizeInBits);
  if (layout.memorySpace != 0) fmt::format_to(std::back_inserter(tail), "S({})", layout.memorySpace);
  if (!layout.splitConfigs.empty()) appendSplitConfigs(tail, layout.splitConfigs);
  if (!layout.physicalShape.empty()) {
    tail += "P(";
    appendShape(tail, layout.physicalShape[0], true);
    tail += ')';
  }
  if (layout.dynamicShapeMetadataPrefixBytes > 0) {
    fmt::format_to(std::back_inserter(tail), "M({})", layout.dynamicShapeMetadataPrefixBytes);
  }
  if (!tail.empty()) {
    out += ':';
    out += tail;
  }
  out += '}';
}

void appendShape(std::string& out, Shape shape, bool withLayout) {
  if (shape.isTuple()) {
    out += '(';
    const auto elements = shape.tupleShapes();
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i != 0) out += ", ";
      if (i != 0 && i % 5 == 0) fmt::format_to(std::back_inserter(out), "/*index={}*/", i);
      appendShape(out, elements[i], withLayout);
    }
    out += ')';
    return;
  }
  if (shape.isBuffer()) {
    out += "b(";
    appendShape(out, shape.bufferShape(), withLayout);
    out += ')';
    return;
  }
  out += elementTypeName(shape.elementType());
  out += '[';
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (i != 0) out += ',';
    const bool dynamic = shape.isDynamicDimension(i);
    if (dynamic && shape.dimension(i) == kUnboundedSize) {
      out += '?';
    } else {
      fmt::format_to(std::back_inserter(out), "{}{}", dynamic ? "<=" : "", shape.dimension(i));
    }
  }
  out += ']';
  // XLA prints no "{}" for scalars unless the layout says more than an order.
  if (withLayout && shape.layout() != nullptr) {
    if (shape.rank() > 0) {
      appendLayout(out, *shape.layout());
    } else {
      std::string text;
      appendLayout(text, *shape.layout());
      if (text != "{}") out += text;
    }
  }
}

std::string toString(Shape shape) {
  std::string out;
  appendShape(out, shape, true);
  return out;
}

std::string toString(const Layout& layout) {
  std::string out;
  appendLayout(out, layout);
  return out;
}

}  // namespace hilo
