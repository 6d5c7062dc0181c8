// The order in which a persistent kernel goes through the tiles of its result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"

namespace hilo {

struct GridPoint {
  int64_t row = 0, column = 0;
  bool operator==(const GridPoint&) const = default;
};

// Bands of `width` along the minor dimension (0: rows, 1: columns), each gone through along the other
// dimension, every second one backwards, so that a band begins where the one before ended. The last band is
// what is left. Matches planar_snake of jax/_src/pallas/mosaic_gpu/helpers.py.
GridPoint snakePoint(int64_t step, int64_t rows, int64_t columns, int minorDimension, int64_t width);

// What keeps an order from being one: "(1, 2) comes at 5 and again at 9", or one outside of the grid. Nothing
// where every point comes once. Kind "too-large" for more than 2^24 points.
Result<std::optional<std::string>> notABijection(const std::vector<GridPoint>& order, int64_t rows,
                                                 int64_t columns);

}  // namespace hilo
