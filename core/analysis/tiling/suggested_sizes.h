// Tile sizes to start from, and legal ones near to those that were refused.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/tiling/tiling_space.h"

namespace hilo {

// Sizes that a person may choose along a dimension of `size` elements: powers of two below it, and all of it.
std::vector<int64_t> sizeChoices(int64_t size);

// About 16 by 64 elements of the result at a time and 32 of what a dot folds, other folds whole; where that
// is refused whole rows, one element, everything: the first that is legal. nullopt: none of them is.
std::optional<std::vector<int64_t>> usualSizes(const TilingSpace& space);

// `sizes` with one of them changed as little as makes them legal. nullopt: one change is not enough.
std::optional<std::vector<int64_t>> nearestLegal(const TilingSpace& space, std::vector<int64_t> sizes);

}  // namespace hilo
