// Where an array's elements lie in memory: dimensions in the order of the layout, then tile by tile (XLA's
// docs/tiled_layout.md; the index formula is that of "Linear index formulas for tiling").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/hlo/ir/shape.h"

namespace hilo {

// The sizes an array has in memory, from major to minor, after every level of tiling; their product counts
// the padding too.
struct PhysicalLayout {
  std::vector<int64_t> bounds;
  int64_t paddedElements = 0;  // product of `bounds`; saturates
  // Position of an element in memory, counted in elements of the padded array.
  int64_t positionOf(std::span<const int64_t> index) const;

  // How positionOf goes there: logical dimensions from major to minor, then each tile's sizes.
  std::vector<int64_t> majorToMinor;
  std::vector<int64_t> sizes;  // of those dimensions
  std::vector<std::vector<int64_t>> tiles;
};

// Nothing for what is no array, has no layout, or a layout this cannot follow: tiles that combine dimensions,
// more tile dimensions than there are, split or sparse dimensions, sizes that are not known.
std::optional<PhysicalLayout> physicalLayout(Shape shape);

}  // namespace hilo
