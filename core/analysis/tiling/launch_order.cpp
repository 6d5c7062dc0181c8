#include "core/analysis/tiling/launch_order.h"

#include <algorithm>

#include "core/base/check.h"

namespace hilo {
namespace {

struct TileOfTwo {
  int64_t row = 0, column = 0;
};

TileOfTwo inGroups(int64_t number, int64_t rows, int64_t columns, int64_t group) {
  const int64_t first = number / (group * columns) * group, inGroup = number % (group * columns),
                high = std::min(group, rows - first);  // the last group may have fewer rows
  return {first + inGroup % high, inGroup / high};
}

int64_t numberInGroups(TileOfTwo at, int64_t rows, int64_t columns, int64_t group) {
  const int64_t first = at.row / group * group, high = std::min(group, rows - first);
  return first * columns + at.column * high + at.row - first;
}

}  // namespace

std::vector<int64_t> tileAt(LaunchOrder order, std::span<const int64_t> counts, int64_t number,
                            int64_t group) {
  CHECK(group > 0);
  std::vector<int64_t> tile(counts.size());
  size_t left = counts.size();
  if (order != LaunchOrder::kRowMajor && counts.size() >= 2) {
    const int64_t rows = counts[left - 2], columns = counts[left - 1], inPlane = number % (rows * columns);
    number /= rows * columns;
    const TileOfTwo at = order == LaunchOrder::kTransposed ? TileOfTwo{inPlane % rows, inPlane / rows}
                                                           : inGroups(inPlane, rows, columns, group);
    tile[left - 2] = at.row;
    tile[left - 1] = at.column;
    left -= 2;
  }
  for (; left > 0; --left) {
    tile[left - 1] = number % counts[left - 1];
    number /= counts[left - 1];
  }
  return tile;
}

int64_t programOf(LaunchOrder order, std::span<const int64_t> counts, std::span<const int64_t> tile,
                  int64_t group) {
  CHECK(group > 0 && tile.size() == counts.size());
  const bool hasPlane = order != LaunchOrder::kRowMajor && counts.size() >= 2;
  const size_t before = counts.size() - (hasPlane ? 2 : 0);
  int64_t number = 0;
  for (size_t d = 0; d < before; ++d) number = number * counts[d] + tile[d];
  if (!hasPlane) return number;
  const TileOfTwo at = {tile[before], tile[before + 1]};
  const int64_t rows = counts[before], columns = counts[before + 1];
  const int64_t inPlane = order == LaunchOrder::kTransposed ? at.column * rows + at.row
                                                            : numberInGroups(at, rows, columns, group);
  return number * rows * columns + inPlane;
}

}  // namespace hilo
