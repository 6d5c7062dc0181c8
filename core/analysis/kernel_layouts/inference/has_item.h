#pragma once

#include <algorithm>

namespace hilo::inference {

template <typename Range, typename Item>
bool hasItem(const Range& range, const Item& item) {
  return std::ranges::find(range, item) != std::ranges::end(range);
}

}  // namespace hilo::inference
