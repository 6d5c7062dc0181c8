// What one tile of a launch reads: a box of elements of each instruction.
#pragma once

#include "core/analysis/tiling/tile.h"

namespace hilo {

struct RegionDimension {
  int64_t size = 0;                          // of the array
  int64_t first = 0, count = 1, stride = 0;  // of the elements at the first step of what is folded
  int64_t sweptLow = 0, sweptHigh = 0;       // the lowest and highest element over all steps
  int64_t low() const { return std::min(first, last()); }
  int64_t high() const { return std::max(first, last()); }
  int64_t last() const { return first + (count - 1) * stride; }
  // How many of the elements lie in the array, at the first step.
  int64_t inside() const;
};

struct TileRegion {
  std::vector<RegionDimension> dimensions;
  std::vector<int64_t> devices;  // whose elements they are, one for each of TiledInstruction::gathered
  bool isRead = true;            // false: the tile lies in another operand of a concatenate
  bool isPlaceKnown = true;      // false: an index is read when it runs; the lowest is shown
  int64_t elements() const;
  int64_t inside() const;
};

// How many tiles the results have in each of their dimensions, in the order of the variables.
std::vector<int64_t> tileCounts(const TilingSpace& space, const FusionTiling& tiling);

// One region for each of TilingSpace::instructions, of the results' tile `tile` (a number in each of
// tileCounts). Costs as many steps as the instructions have dimensions, times the folded ones.
std::vector<TileRegion> regionsOf(const TilingSpace& space, const FusionTiling& tiling,
                                  std::span<const int64_t> tile);

// Of one of them.
TileRegion regionOf(const TilingSpace& space, const FusionTiling& tiling, size_t instruction,
                    std::span<const int64_t> tile);

}  // namespace hilo
