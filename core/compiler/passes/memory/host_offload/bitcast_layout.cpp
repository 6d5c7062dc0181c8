#include "core/compiler/passes/memory/host_offload/bitcast_layout.h"

#include <vector>

namespace hilo {
namespace {

// Dimensions of more than one element, from the fastest to the slowest.
std::vector<int64_t> trueOrder(Shape shape) {
  std::vector<int64_t> order;
  for (const int64_t d : shape.layout()->minorToMajor) {
    if (shape.dimension(static_cast<size_t>(d)) != 1) order.push_back(d);
  }
  return order;
}

}  // namespace

std::optional<Layout> layoutBehindBitcast(Shape from, Shape to, const Layout& other) {
  if (from.layout() == nullptr || to.layout() == nullptr) return std::nullopt;
  const std::vector<int64_t> before = trueOrder(from), after = trueOrder(to);
  if (before.size() != after.size()) return std::nullopt;
  std::vector<int64_t> renamed(from.rank(), -1);
  for (size_t k = 0; k < before.size(); ++k) {
    const auto d = static_cast<size_t>(before[k]);
    if (from.dimension(d) != to.dimension(static_cast<size_t>(after[k]))) return std::nullopt;
    renamed[d] = after[k];
  }
  Layout layout = other;
  layout.minorToMajor.clear();
  for (const int64_t d : other.minorToMajor) {
    if (renamed[static_cast<size_t>(d)] >= 0) layout.minorToMajor.push_back(renamed[static_cast<size_t>(d)]);
  }
  for (size_t d = to.rank(); d > 0; --d) {
    if (to.dimension(d - 1) == 1) layout.minorToMajor.push_back(static_cast<int64_t>(d) - 1);
  }
  return layout;
}

}  // namespace hilo
