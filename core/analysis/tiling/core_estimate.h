// How long loops over the tiles of a fusion take on one core of a processor: an estimate to order tilings by,
// not a measurement. Tiles go one after the other, the last variable fastest; in a tile elements go in the
// order of the result's memory, folded ones outside of the innermost. Lines of arrays come again where the
// loops between two uses touch more than a cache holds, or more that fall on the same places of it.
#pragma once

#include "core/analysis/tiling/tile.h"

namespace hilo {

// Of all cores that are at issue here near enough to order tilings by; core_estimate.cpp has the caches.
struct CoreDescription {
  double clockMHz = 3000;
  int64_t vectorBytes = 16;  // of what compilers make of plain loops
};

struct CoreEstimate {
  double ns = 0;                          // the longer of the first two and the third
  double computeNs = 0;                   // elements, and turns of loops
  double streamedNs = 0;                  // lines that are neighbours, which the processor fetches ahead
  double scatteredNs = 0;                 // lines that it waits for
  double nearBytes = 0, memoryBytes = 0;  // lines that come into the first cache; into the last
};

// The tiling is one of this space.
CoreEstimate estimateOnCore(const TilingSpace& space, const FusionTiling& tiling,
                            const CoreDescription& core);

struct CoreRanking {
  std::vector<int64_t> sizes;
  CoreEstimate estimate;
};

// Of legal tilings, those of powers of two and whole dimensions, the quickest first; no more than `tried`.
std::vector<CoreRanking> rankOnCore(const TilingSpace& space, const CoreDescription& core,
                                    size_t tried = 2000);

}  // namespace hilo
