// Paths into tuple shapes, and a shape's parts counted in pre-order: the whole is 0, a tuple's first element
// 1, then that element's parts, and so on. A part and all within it are one run of ordinals, so that passing
// a subtree on is copying a range.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/hlo/ir/shape.h"

namespace hilo {

using ShapeIndex = absl::InlinedVector<int64_t, 2>;

// "{0,1}"; "{}" for the whole, as XLA prints it.
std::string toString(const ShapeIndex& index);
ShapeIndex shapeIndexOf(std::span<const int64_t> path);
// The part at `index`; nullopt where the shape has none.
std::optional<Shape> subshapeAt(Shape shape, std::span<const int64_t> index);
// Bytes of the part itself: of an array its elements, of a tuple its table of pointers, of a token nothing.
// XLA's ShapeUtil::ByteSizeOf(shape, pointerBytes); an array with tiles takes whole tiles. The sizes kept
// behind a dynamic array are not counted.
int64_t bufferBytes(Shape shape, int64_t pointerBytes);

class SubshapeTable {
 public:
  struct Part {
    Shape shape;
    ShapeIndex index;
    uint32_t count = 1;  // of this part and all within
    uint32_t firstChild = 0;
  };
  explicit SubshapeTable(Shape shape);

  std::span<const Part> parts() const { return parts_; }
  uint32_t size() const { return static_cast<uint32_t>(parts_.size()); }
  // Ordinal of element `element` of the part `ordinal`; kNone when it is no tuple or not that long.
  static constexpr uint32_t kNone = 0xffffffff;
  uint32_t child(uint32_t ordinal, int64_t element) const;
  uint32_t find(std::span<const int64_t> index) const;

 private:
  void add(Shape shape, ShapeIndex& index);
  std::vector<Part> parts_;
  std::vector<uint32_t> children_;
};

// Tables of the shapes of one module, made when first asked for. Not for sharing between threads
// while it grows.
class SubshapeTables {
 public:
  const SubshapeTable& of(Shape shape);

 private:
  absl::flat_hash_map<const void*, std::unique_ptr<SubshapeTable>> tables_;
};

}  // namespace hilo
