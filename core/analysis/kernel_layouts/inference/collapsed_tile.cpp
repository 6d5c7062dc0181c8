#include "core/analysis/kernel_layouts/inference/collapsed_tile.h"

#include <algorithm>

#include "core/analysis/saturating.h"

namespace hilo::inference {
namespace {

// Of one group; the partial dimension is the last that the tile does not cover whole.
bool isContiguous(const Sizes& tile, const Sizes& shape, size_t from, size_t end) {
  size_t partial = end;
  while (partial > from && tile[partial - 1] == shape[partial - 1]) --partial;
  for (size_t i = from; i + 1 < partial; ++i)
    if (tile[i] != 1) return false;
  return true;
}

}  // namespace

std::optional<Sizes> collapsedTile(const Sizes& tile, const Sizes& shape, const Sizes& groups) {
  if (tile.size() > shape.size()) return std::nullopt;
  const Sizes tiled(shape.end() - static_cast<int64_t>(tile.size()), shape.end());
  for (size_t i = 0; i < tile.size(); ++i)
    if (tiled[i] % tile[i] != 0) return std::nullopt;
  Sizes result;
  size_t end = tile.size();
  for (size_t group = groups.size(); group-- > 0 && end > 0;) {
    const auto count = static_cast<size_t>(groups[group]);
    if (count > end || !isContiguous(tile, tiled, end - count, end)) return std::nullopt;
    int64_t size = 1;
    for (size_t i = end - count; i < end; ++i) size = saturatingMultiply(size, tile[i]);
    result.push_back(size);
    end -= count;
  }
  std::ranges::reverse(result);
  return result;
}

}  // namespace hilo::inference
