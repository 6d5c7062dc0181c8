#include "core/analysis/kernel_checks/grid_order.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace hilo {

GridPoint snakePoint(int64_t step, int64_t rows, int64_t columns, int minorDimension, int64_t width) {
  const int64_t minorSize = minorDimension == 0 ? rows : columns,
                majorSize = minorDimension == 0 ? columns : rows;
  CHECK(width > 0 && majorSize > 0 && step >= 0 && step < rows * columns);
  const int64_t band = step / (width * majorSize);
  const int64_t bandWidth = std::min(width, minorSize - band * width);
  const int64_t within = step - band * width * majorSize;
  const int64_t along = within / bandWidth;
  const int64_t minor = band * width + within % bandWidth;
  const int64_t major = band % 2 == 0 ? along : majorSize - 1 - along;
  return minorDimension == 0 ? GridPoint{minor, major} : GridPoint{major, minor};
}

Result<std::optional<std::string>> notABijection(const std::vector<GridPoint>& order, int64_t rows,
                                                 int64_t columns) {
  constexpr int64_t kMost = int64_t{1} << 24;
  if (rows < 0 || columns < 0 || (columns > 0 && rows > kMost / columns))
    return fail("too-large", fmt::format("a grid of {} x {}", rows, columns));
  std::vector<int64_t> firstAt(static_cast<size_t>(rows * columns), -1);
  for (int64_t at = 0; at < std::ssize(order); ++at) {
    const auto [row, column] = order[static_cast<size_t>(at)];
    if (row < 0 || row >= rows || column < 0 || column >= columns)
      return fmt::format("({}, {}) at {} is outside of the grid of {} x {}", row, column, at, rows, columns);
    int64_t& first = firstAt[static_cast<size_t>(row * columns + column)];
    if (first >= 0) return fmt::format("({}, {}) comes at {} and again at {}", row, column, first, at);
    first = at;
  }
  const auto missing = std::ranges::find(firstAt, -1);
  if (missing == firstAt.end()) return std::nullopt;
  const int64_t at = missing - firstAt.begin();
  return fmt::format("({}, {}) never comes", at / columns, at % columns);
}

}  // namespace hilo
