// A constant value: array or tuple. Array elements are stored densely in row-major order of the logical
// dimensions, whatever the shape's layout says; one element takes elementStorageBytes(type) (sub-byte
// integers a sign- or zero-extended byte, sub-byte floats their bits in the low end of a byte, pred 0 or 1,
// complex two components). Dynamic dimensions: storage is for the upper bounds; dynamicSizes() says how
// much is real.
//
// Copies share bytes; mutable access detaches. Reading from many threads is safe, writing needs a sole owner.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/check.h"
#include "core/base/result.h"
#include "core/hlo/ir/shape.h"

namespace hilo {

// Memory for the bytes of one array, aligned to 64; null when there is none.
using ArrayMemory = std::function<std::shared_ptr<std::byte[]>(size_t byteCount)>;

class Literal {
 public:
  Literal() = default;  // the empty tuple
  // Zero-filled. CHECKs that the element count fits memory: callers with untrusted shapes use tryMake.
  explicit Literal(Shape shape);
  // Refuses (kind "literal-too-large") when the bytes exceed `limitBytes`, and non-array, non-tuple shapes
  // except token, which has no bytes.
  static Result<Literal> tryMake(Shape shape, int64_t limitBytes = kLimitBytes);
  // The same in memory from elsewhere, which holds what it held: for callers that write every element.
  static Result<Literal> tryMakeIn(const ArrayMemory& memory, Shape shape, int64_t limitBytes = kLimitBytes);
  static Literal tuple(std::vector<Literal> elements);
  // "{...}": the values were not printed. Has a shape, no bytes.
  static Literal elided(Shape shape);
  template <typename T>
  static Literal scalar(ElementType type, T value) {
    Literal literal(Shape::scalar(type));
    literal.mutableData<T>()[0] = value;
    return literal;
  }

  Shape shape() const { return shape_; }
  bool isTuple() const { return shape_.isTuple(); }
  std::span<const Literal> elements() const { return elements_; }
  std::vector<Literal>& mutableElements() { return elements_; }
  // True for an elided array, and for a tuple with an elided leaf.
  bool isElided() const;

  std::span<const std::byte> bytes() const { return {bytes_.get(), byteCount_}; }
  std::span<std::byte> mutableBytes();
  // T must have the storage size of one element (int8_t for s4, uint16_t or BF16 for bf16, ...).
  template <typename T>
  std::span<const T> data() const {
    CHECK(shape_.isArray() && sizeof(T) == static_cast<size_t>(elementStorageBytes(shape_.elementType())));
    return {reinterpret_cast<const T*>(bytes_.get()), byteCount_ / sizeof(T)};
  }
  template <typename T>
  std::span<T> mutableData() {
    CHECK(shape_.isArray() && sizeof(T) == static_cast<size_t>(elementStorageBytes(shape_.elementType())));
    const auto bytes = mutableBytes();
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  // The real size of each dimension; empty when all dimensions are at their bounds.
  std::span<const int64_t> dynamicSizes() const { return dynamicSizes_; }
  void setDynamicSizes(std::vector<int64_t> sizes) { dynamicSizes_ = std::move(sizes); }

  // The same bytes under a shape that differs only in layout, or in dimensions of the same element count.
  Literal withShape(Shape shape) const;

  // Same shape but for layouts, and the same bits. Elided equals elided.
  friend bool operator==(const Literal& a, const Literal& b);

 private:
  static constexpr int64_t kLimitBytes = int64_t{1} << 34;

  Shape shape_;
  std::shared_ptr<std::byte[]> bytes_;
  size_t byteCount_ = 0;
  std::vector<Literal> elements_;
  std::vector<int64_t> dynamicSizes_;
  bool elided_ = false;
};

}  // namespace hilo
