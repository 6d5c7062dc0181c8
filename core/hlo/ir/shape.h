// Shapes and layouts: immutable, interned for the life of the program, so a Shape is one pointer, copies are
// free, equality is identity, and any thread may hold, read and make them.
//
// Semantics (XLA's, xla_data.proto and shape.h):
//  - An array shape has an element type, dimension sizes (each optionally dynamic: the size is then an upper
//    bound, or kUnboundedSize) and optionally a layout. A shape with and one without a layout differ; compare
//    withoutLayout() where the layout does not matter.
//  - A tuple shape has element shapes. Token and opaque have nothing. A buffer shape b(...) wraps one shape.
//  - A layout's minorToMajor lists dimensions from fastest to slowest varying. Tiles apply to the physical
//    shape, outermost first. Memory space 0 is the default space.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/ir/element_type.h"

namespace hilo {

inline constexpr int64_t kUnboundedSize = std::numeric_limits<int64_t>::min();

struct Tile {
  // A dimension of kCombineDimension is merged with the next more minor one ("*" in text).
  static constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> dimensions;
  friend bool operator==(const Tile&, const Tile&) = default;
};

enum class DimLevelType : uint8_t { Dense, Compressed, Singleton, LooseCompressed };

struct DimLevel {
  DimLevelType type = DimLevelType::Dense;
  bool unique = true;
  bool ordered = true;
  friend bool operator==(const DimLevel&, const DimLevel&) = default;
};

// Where a physically split dimension is cut ("SC(dimension:index,...)" in text).
struct SplitConfig {
  int64_t dimension = 0;
  std::vector<int64_t> splitIndices;
  friend bool operator==(const SplitConfig&, const SplitConfig&) = default;
};

class Shape;

struct Layout {
  std::vector<int64_t> minorToMajor;
  std::vector<DimLevel> dimLevels;  // empty: all dense
  std::vector<Tile> tiles;
  int64_t tailPaddingAlignment = 1;  // in elements
  std::optional<ElementType> indexPrimitiveType;
  std::optional<ElementType> pointerPrimitiveType;
  int64_t elementSizeInBits = 0;  // 0: the element type's own
  int64_t memorySpace = 0;
  std::vector<SplitConfig> splitConfigs;
  std::vector<Shape> physicalShape;  // none or one
  int64_t dynamicShapeMetadataPrefixBytes = 0;

  friend bool operator==(const Layout&, const Layout&) = default;
  // {rank-1, ..., 1, 0}: row-major.
  static Layout descending(size_t rank);
  bool isDescending() const;
};

struct ShapeData;

class Shape {
 public:
  // The empty tuple "()": a default that is a valid shape.
  Shape();

  static Shape array(ElementType type, std::span<const int64_t> dimensions, const Layout* layout = nullptr);
  static Shape array(ElementType type, std::initializer_list<int64_t> dimensions) {
    return array(type, std::span<const int64_t>(dimensions.begin(), dimensions.size()));
  }
  // `dynamic` is empty (all static) or one flag a dimension.
  static Shape dynamicArray(ElementType type, std::span<const int64_t> dimensions,
                            std::span<const bool> dynamic, const Layout* layout = nullptr);
  static Shape scalar(ElementType type) { return array(type, std::span<const int64_t>()); }
  static Shape tuple(std::span<const Shape> elements);
  static Shape token();
  static Shape opaque();
  static Shape buffer(Shape inner);

  ElementType elementType() const;
  bool isArray() const { return isArrayElement(elementType()); }
  bool isTuple() const { return elementType() == ElementType::Tuple; }
  bool isToken() const { return elementType() == ElementType::Token; }
  bool isOpaque() const { return elementType() == ElementType::Opaque; }
  bool isBuffer() const { return elementType() == ElementType::Buffer; }
  bool isScalar() const { return isArray() && rank() == 0; }

  size_t rank() const { return dimensions().size(); }
  std::span<const int64_t> dimensions() const;
  int64_t dimension(size_t index) const { return dimensions()[index]; }
  bool isDynamicDimension(size_t index) const;
  // One flag a dimension, or empty when all are static.
  std::span<const bool> dynamicDimensions() const;
  // Any dynamic dimension here or in a tuple element.
  bool isDynamic() const;
  bool hasUnboundedDimension() const;

  const Layout* layout() const;  // nullptr when none
  std::span<const Shape> tupleShapes() const;
  // What a buffer shape wraps.
  Shape bufferShape() const;

  // Product of the dimensions of an array; saturates at INT64_MAX, so that a hostile shape cannot wrap.
  int64_t elementCount() const;
  // Bytes of the dense array by element bits (sub-byte types packed when the layout's element size says so,
  // else by XLA's ShapeUtil::ByteSizeOf: one byte each); tuples sum their leaves; saturating. Tiling and
  // padding are the layout analysis's concern, not counted here.
  int64_t byteSize() const;

  Shape withoutLayout() const;                    // all levels
  Shape withLayout(const Layout* layout) const;   // arrays only; nullptr removes
  Shape withDefaultLayout() const;                // row-major wherever an array has none
  Shape withElementType(ElementType type) const;  // arrays only; layout kept
  Shape withStaticDimensions() const;             // upper bounds as sizes, all levels

  // Identity. For "the same but for layouts" compare withoutLayout().
  friend bool operator==(Shape, Shape) = default;
  const void* identity() const { return data_; }
  template <typename H>
  friend H AbslHashValue(H h, Shape shape) {
    return H::combine(std::move(h), shape.data_);
  }

 private:
  explicit Shape(const ShapeData* data) : data_(data) {}
  static Shape intern(ShapeData&& data);
  const ShapeData* data_;
};

// "f32[2,3]{1,0}", "(s32[], token[])", in XLA's spelling, layouts included. For messages and tests; the
// printer in hlo/text has the options.
std::string toString(Shape shape);
std::string toString(const Layout& layout);
// Appends without allocating a string of its own: the form the text printer uses.
void appendShape(std::string& out, Shape shape, bool withLayout);
void appendLayout(std::string& out, const Layout& layout);

}  // namespace hilo
