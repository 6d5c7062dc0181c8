#include "core/compiler/passes/simplify/algebra/place_of_dimensions.h"

namespace hilo::algebra {

std::optional<DimensionSpan> partsAfterReshape(Shape from, size_t d, Shape to) {
  const int64_t size = from.dimension(d);
  if (size <= 1 || from.elementCount() == 0 || from.elementCount() != to.elementCount()) return std::nullopt;
  int64_t before = 1;
  for (size_t k = 0; k < d; ++k) before *= from.dimension(k);
  size_t first = 0;
  int64_t passed = 1;
  while (first < to.rank() && (passed < before || to.dimension(first) == 1)) passed *= to.dimension(first++);
  if (passed != before) return std::nullopt;
  size_t end = first;
  for (int64_t taken = 1; end < to.rank(); ++end) {
    if (taken == size) break;
    taken *= to.dimension(end);
    if (taken > size) return std::nullopt;
  }
  return DimensionSpan{first, end};
}

std::optional<int64_t> placeAfterReshape(Shape from, size_t d, Shape to) {
  const auto parts = partsAfterReshape(from, d, to);
  if (!parts || to.dimension(parts->first) != from.dimension(d)) return std::nullopt;
  return static_cast<int64_t>(parts->first);
}

}  // namespace hilo::algebra
