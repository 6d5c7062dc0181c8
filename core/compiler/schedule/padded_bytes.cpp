#include "core/analysis/dataflow/shape_index.h"
#include "core/analysis/physical_layout.h"
#include "core/compiler/schedule/rematerialization.h"

namespace hilo {

int64_t paddedBytes(Shape shape) {
  constexpr int64_t kPointerBytes = 8;
  const int64_t plain = bufferBytes(shape, kPointerBytes);
  if (!shape.isArray() || shape.layout() == nullptr || shape.layout()->tiles.empty()) return plain;
  const auto physical = physicalLayout(shape);
  int64_t bits = 0;
  if (!physical || __builtin_mul_overflow(physical->paddedElements, elementBits(shape.elementType()), &bits))
    return plain;
  return std::max(plain, bits / 8);
}

// Tiles pad the most minor dimensions: every choice of those two, the others as they are.
Shape compactShape(Shape shape) {
  if (!shape.isArray() || shape.layout() == nullptr || shape.layout()->tiles.empty() || shape.rank() < 2)
    return shape;
  Shape best = shape;
  int64_t fewest = paddedBytes(shape);
  for (size_t first = 0; first < shape.rank(); ++first) {
    for (size_t second = 0; second < shape.rank(); ++second) {
      if (first == second) continue;
      Layout layout = *shape.layout();
      std::vector<int64_t> order = {static_cast<int64_t>(first), static_cast<int64_t>(second)};
      for (const int64_t d : shape.layout()->minorToMajor) {
        if (std::ranges::find(order, d) == order.end()) order.push_back(d);
      }
      layout.minorToMajor = order;
      const Shape candidate = shape.withLayout(&layout);
      const int64_t bytes = paddedBytes(candidate);
      if (bytes >= fewest) continue;
      fewest = bytes;
      best = candidate;
    }
  }
  return best;
}

}  // namespace hilo
