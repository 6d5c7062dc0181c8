// Tilings made of others: dimensions renamed, dropped, merged; one compared with another.
#pragma once

#include "core/compiler/spmd/tiling.h"

namespace hilo {

void sortCopies(Tiling& tiling);

// The tiling whose dimension i is dimension from[i] of this one, or whole where from[i] is -1. Devices that
// dimensions left out told apart hold copies.
Tiling renamed(const Tiling& tiling, std::span<const int64_t> from);
// The same dimensions, those named whole.
Tiling wholeIn(const Tiling& tiling, std::span<const int64_t> dimensions);
// All dimensions whole, of another rank; manual groups stay.
Tiling wholeTiling(const Tiling& tiling, size_t rank);

// The minor `size` tiles of a dimension, in order, as copies.
Tiling withFewerTiles(const Tiling& tiling, size_t dimension, int64_t size);

// The tiles of a dimension in the opposite order of devices.
Tiling mirrored(const Tiling& tiling, size_t dimension);

// Both at once: each device's part lies in its parts by either. nullopt when there is none, or a dimension is
// tiled differently by both.
std::optional<Tiling> merged(const Tiling& a, const Tiling& b);
// Whether every device's part by `fine` lies inside its part by `coarse`.
bool isInside(Shape array, const Tiling& fine, const Tiling& coarse);

// What a tiling of the operand of a reshape is on its result: nullopt when a part of the one is no part of
// the other. `partOf` drops what cannot be kept instead.
std::optional<Tiling> reshaped(const Tiling& tiling, std::span<const int64_t> from,
                               std::span<const int64_t> to);
Tiling reshapedInPart(const Tiling& tiling, std::span<const int64_t> from, std::span<const int64_t> to);

// How many elements lie beside the array in the last tiles.
bool isUneven(int64_t size, int64_t tiles);

// How a reshape runs where dimensions are cut whose tiles hold other numbers of elements before and after.
struct UnevenReshape {
  // Tiles of the operand's or the result's dimension get `size` elements.
  struct Step {
    size_t dimension;
    int64_t size;
  };
  Tiling source;             // of the operand
  std::vector<Step> before;  // of the operand
  std::vector<Step> after;   // tiles of the result as the reshape of the operand's gives them
};
// To a result that is cut as `wanted`, along the first dimension of each group that is split or merged;
// nullopt where it is cut otherwise, or tiles are no whole numbers of elements of the minor dimensions.
std::optional<UnevenReshape> unevenReshape(const Tiling& wanted, std::span<const int64_t> from,
                                           std::span<const int64_t> to);

}  // namespace hilo
