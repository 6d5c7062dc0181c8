// Small questions about literals that many handlers ask.
#pragma once

#include "core/hlo/eval/element_dispatch.h"
#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/indexing.h"
#include "core/hlo/eval/kernel.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

inline int storageBytes(Shape shape) { return elementStorageBytes(shape.elementType()); }
inline bool sameDimensions(Shape a, Shape b) { return std::ranges::equal(a.dimensions(), b.dimensions()); }

// Element `index` of an integer or pred array; an unsigned 64-bit value beyond int64 becomes INT64_MAX.
int64_t integerAt(const Literal& literal, int64_t index);
bool holdsIntegers(const Literal& literal);

// The elements as another type, densely.
template <typename T>
std::vector<T> elementsAs(const Literal& literal, ElementType type) {
  std::vector<T> values(static_cast<size_t>(literal.shape().elementCount()));
  convertElements(values.data(), type, literal.bytes().data(), literal.shape().elementType(),
                  static_cast<int64_t>(values.size()));
  return values;
}

// Arrays of the same dimensions whose types are both floats, of whatever precision.
bool differInPrecisionAlone(Shape a, Shape b);
// Of any shape, tuples of tuples too.
Result<Literal> zeros(Shape shape, EvalContext& context);
// The array in another element type.
Result<Literal> converted(const Literal& literal, ElementType type, EvalContext& context);

// The first elements of each dimension, as an array of just these sizes.
Result<Literal> realPart(const Literal& array, std::span<const int64_t> sizes);

// Whether every entry is in [0, limit) and none is repeated.
bool areDistinctDimensions(std::span<const int64_t> dimensions, size_t limit);

// The type sums of products run in: S64 for integers and pred. For others the widest there is, so that
// rounding to the result's type is the only rounding that matters; or, `asSpecified`, F32 for floats up to
// that and else the type itself.
inline ElementType accumulationType(ElementType type, bool asSpecified) {
  if (!isComplex(type) && !isFloat(type)) return ElementType::S64;
  if (asSpecified && (isComplex(type) || type == ElementType::F64)) return type;
  if (asSpecified) return ElementType::F32;
  return isComplex(type) ? ElementType::C128 : ElementType::F64;
}
// Calls f.template operator()<T>() with the C++ type of an accumulation type.
template <typename F>
decltype(auto) visitAccumulationType(ElementType type, F&& f) {
  if (type == ElementType::C128) return f.template operator()<std::complex<double>>();
  if (type == ElementType::C64) return f.template operator()<std::complex<float>>();
  if (type == ElementType::F64) return f.template operator()<double>();
  if (type == ElementType::F32) return f.template operator()<float>();
  return f.template operator()<int64_t>();
}
template <typename T>
inline constexpr ElementType kAccumulationType = std::is_same_v<T, float>                 ? ElementType::F32
                                                 : std::is_same_v<T, double>              ? ElementType::F64
                                                 : std::is_same_v<T, int64_t>             ? ElementType::S64
                                                 : std::is_same_v<T, std::complex<float>> ? ElementType::C64
                                                                                          : ElementType::C128;
// a + b * c, wrapping for integers.
template <typename T>
T multiplyAdd(T a, T b, T c) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b) * static_cast<uint64_t>(c));
  } else if constexpr (kIsComplexElement<T>) {
    // Spelled out: the library's product costs a call that only matters for infinities.
    return T(a.real() + (b.real() * c.real() - b.imag() * c.imag()),
             a.imag() + (b.real() * c.imag() + b.imag() * c.real()));
  } else {
    return a + b * c;
  }
}

}  // namespace hilo
