// From a fusion and chosen tile sizes to its tile programs.
#pragma once

#include "core/analysis/tile_program/tile_program.h"

namespace hilo {

// `sizes` are one for each of TilingSpace::tiled(). Error kinds: "not-tileable", "illegal-tiling" (sizes),
// "not-a-tile-program" (tile_legality.h). The module outlives what is given.
Result<TiledFusion> tiledFusion(const Instruction& fusion, std::span<const int64_t> sizes);
Result<TiledFusion> tiledFusion(TilingSpace space, std::span<const int64_t> sizes);

}  // namespace hilo
