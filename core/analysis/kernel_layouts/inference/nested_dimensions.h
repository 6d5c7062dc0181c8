// Dimensions of an array as they lie in tiled memory: each is a list of sizes with their strides, since one
// tiling (of registers) cuts across the pieces that another (of shared memory) made.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/kernel_layouts/tiling_steps.h"

namespace hilo::inference {

struct StridedSize {
  int64_t size = 1;
  int64_t stride = 1;  // in elements
  bool operator==(const StridedSize&) const = default;
};
using NestedDimension = std::vector<StridedSize>;  // never empty; the last is the innermost

// An array of this shape and strides after its last dimensions were cut into tiles that lie one behind the
// other, elements and tiles each in the order of the strides. Nothing when the tile does not divide the shape
// or its dimensions are not those of the smallest strides.
std::optional<std::vector<NestedDimension>> tiledMemory(const Sizes& shape, const Sizes& strides,
                                                        const Sizes& tile);

// The dimensions that the tiling makes of these; nothing where a tile cuts a piece unevenly.
std::optional<std::vector<NestedDimension>> tiled(const TilingSteps& tiling,
                                                  std::vector<NestedDimension> dimensions);

// Strides of an array whose last dimension is the fastest; sizes that are not known count as 1.
Sizes rowMajorStrides(const Sizes& shape);

}  // namespace hilo::inference
