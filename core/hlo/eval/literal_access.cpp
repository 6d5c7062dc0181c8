#include "core/hlo/eval/literal_access.h"

namespace hilo {

bool holdsIntegers(const Literal& literal) {
  const ElementType type = literal.shape().elementType();
  return isIntegral(type) || type == ElementType::Pred;
}

int64_t integerAt(const Literal& literal, int64_t index) {
  const ElementType type = literal.shape().elementType();
  const std::byte* at = literal.bytes().data() + index * elementStorageBytes(type);
  if (type == ElementType::U64) {
    const uint64_t value = *reinterpret_cast<const uint64_t*>(at);
    return value > uint64_t(std::numeric_limits<int64_t>::max()) ? std::numeric_limits<int64_t>::max()
                                                                 : static_cast<int64_t>(value);
  }
  int64_t value = 0;
  convertElements(&value, ElementType::S64, at, type, 1);
  return value;
}

bool differInPrecisionAlone(Shape a, Shape b) {
  return a.isArray() && b.isArray() && isFloat(a.elementType()) && isFloat(b.elementType()) &&
         sameDimensions(a, b) && a.elementType() != b.elementType();
}

Result<Literal> converted(const Literal& literal, ElementType type, EvalContext& context) {
  TRY(Literal result, context.make(Shape::array(type, literal.shape().dimensions())));
  convertElements(result.mutableBytes().data(), type, literal.bytes().data(), literal.shape().elementType(),
                  literal.shape().elementCount());
  result.setDynamicSizes({literal.dynamicSizes().begin(), literal.dynamicSizes().end()});
  return result;
}

Result<Literal> zeros(Shape shape, EvalContext& context) {
  if (!shape.isTuple()) return context.make(shape);
  std::vector<Literal> elements;
  for (const Shape element : shape.tupleShapes()) {
    TRY(Literal zero, zeros(element, context));
    elements.push_back(std::move(zero));
  }
  return Literal::tuple(std::move(elements));
}

Result<Literal> realPart(const Literal& array, std::span<const int64_t> sizes) {
  TRY(Literal real, Literal::tryMake(Shape::array(array.shape().elementType(), sizes)));
  copyStrided(real.mutableBytes().data(), array.bytes().data(), storageBytes(array.shape()), sizes,
              {0, rowMajorStrides(array.shape().dimensions())});
  return real;
}

bool areDistinctDimensions(std::span<const int64_t> dimensions, size_t limit) {
  absl::InlinedVector<bool, 8> seen(limit, false);
  for (const int64_t d : dimensions) {
    if (d < 0 || static_cast<size_t>(d) >= limit || seen[d]) return false;
    seen[d] = true;
  }
  return true;
}

}  // namespace hilo
