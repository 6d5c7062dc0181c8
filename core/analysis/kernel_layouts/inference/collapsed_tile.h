// The tile of an array in shared memory whose neighbouring dimensions become one.
#pragma once

#include <optional>

#include "core/analysis/kernel_layouts/tiling_steps.h"

namespace hilo::inference {

// groups[i] dimensions of `shape` become one. Nothing when the tile does not divide the shape, a group has
// dimensions with and without a tile, or a tile's elements would not be neighbours: within a group only 1s
// may stand before, and only whole dimensions behind, one partial dimension.
std::optional<Sizes> collapsedTile(const Sizes& tile, const Sizes& shape, const Sizes& groups);

}  // namespace hilo::inference
