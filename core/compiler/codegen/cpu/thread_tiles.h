// The tiles that a thread goes through in place of those that were chosen. It does the elements of a tile one
// after the other anyway, so that sizes are its own choice where they change only how often the same is
// computed, and what stays near:
// - what a reduction folds is folded in one step, where no other fold is done in its steps;
// - tiles that fold the same are one tile, with the fold done once;
// - rows that are folded alone, and are more than the near cache has room for, are cut into fewer.
#pragma once

#include "core/analysis/tile_program/tile_program.h"

namespace hilo::cpu {

// `chosen` itself where other sizes are not legal, or would take much more of a thread's stack.
TiledFusion threadTiles(TiledFusion chosen, int64_t firstCacheBytes);

}  // namespace hilo::cpu
