// Tilings of JAX's kernel layouts (jax/experimental/mosaic/gpu/fragmented_array.py, class Tiling): each tile
// in turn unfolds the trailing dimensions of an array into (dimension / tile) and (tile), the tiles'
// dimensions last. 64x16 by (64, 8)(16, 8) is 1x2x64x8, then 1x2x4x1x16x8.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"

namespace hilo {

using Sizes = std::vector<int64_t>;

struct TilingSteps {
  std::vector<Sizes> tiles;  // each of the rank of the one before or a smaller one; sizes positive

  // The same order without what does nothing: a tile equal to what it tiles, and leading 1s of a tile.
  TilingSteps canonical() const;
  // "kernel-tiling" when a tile has more dimensions than there are or does not divide them.
  Result<Sizes> tiledShape(const Sizes& shape) const;
  // Of an index within a shape that the tiling fits.
  Sizes tiled(Sizes index) const;
  Sizes untiled(Sizes index) const;  // inverse of tiled

  bool operator==(const TilingSteps&) const = default;
};

// "kernel-tiling" when there is no tile, a tile is empty or of a greater rank than the one before, a size is
// not positive, or a tile does not divide the one before.
Status checkTiling(const TilingSteps& tiling);

// Product of sizes; saturates.
int64_t elementCount(const Sizes& sizes);
// Position of an index in an array of these sizes, the last dimension fastest, and back.
int64_t linearIndex(const Sizes& index, const Sizes& sizes);
Sizes indexAt(int64_t position, const Sizes& sizes);

// "(64, 8)", "(2,)": as Python writes a tuple.
std::string tupleText(const Sizes& sizes);

}  // namespace hilo
