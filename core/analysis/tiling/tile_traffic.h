// What memory sees of a tile: bytes of sectors, and which blocks read the same.
#pragma once

#include "core/analysis/tiling/launch_order.h"
#include "core/analysis/tiling/tile.h"

namespace hilo {

inline constexpr double kSectorBytes = 32;  // that memory and L2 give at once

// How many tiles a variable's dimension has.
int64_t tilesAlong(const VariableTile& variable);

struct TileTraffic {
  double bytes = 0;           // of the tile's elements
  double sectorBytes = 0;     // of the sectors they lie in
  int64_t steps = 1;          // how often one block reads such a tile: the folded dimensions it moves along
  std::vector<size_t> along;  // the results' dimensions it moves along
};

// Of TilingSpace::instructions[number], in the order of its layout.
TileTraffic trafficOf(const TilingSpace& space, const FusionTiling& tiling, size_t number);

// How many different tiles the blocks first, first + 1, ... of a launch read between them, by the results'
// dimensions that the tile moves along.
int64_t differentTiles(std::span<const int64_t> counts, LaunchOrder order, std::span<const size_t> along,
                       int64_t first, int64_t blocks);

}  // namespace hilo
