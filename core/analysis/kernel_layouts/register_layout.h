// How an array lies in the registers of a warpgroup (4 warps of 32 lanes), as plain data: the layouts of
// JAX's Mosaic GPU kernels (jax/experimental/mosaic/gpu/fragmented_array.py), and of tensor memory, whose
// rows are lanes and whose columns are registers (tcgen05.py, class TMEMLayout).
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/analysis/kernel_layouts/tiling_steps.h"
#include "core/base/result.h"

namespace hilo {

inline constexpr int64_t kWarpsOfWarpgroup = 4;
inline constexpr int64_t kLanesOfWarp = 32;
inline constexpr int64_t kThreadsOfWarpgroup = kWarpsOfWarpgroup * kLanesOfWarp;

// What one digit of a warp's or lane's number is: a dimension of the tiled array, counted from its end (-1 is
// the last), or copies: `times` threads hold the same elements.
struct ThreadDimension {
  int64_t dimension = 0;  // negative; 0 for copies
  int64_t times = 0;      // positive for copies; 0 for a dimension
  bool isCopies() const { return times > 0; }
  bool operator==(const ThreadDimension&) const = default;
};

struct TiledLayout {
  TilingSteps tiling;
  std::vector<ThreadDimension> warpDims;  // from major to minor
  std::vector<ThreadDimension> laneDims;
  int64_t vectorDim = -1;  // the dimension whose elements one register holds side by side

  // Sizes of the dimensions that warpDims, laneDims and vectorDim number from the end.
  Sizes tileSizes() const;
  int64_t sizeOf(const ThreadDimension& dim) const;
  int64_t vectorLength() const;
  bool operator==(const TiledLayout&) const = default;
};

// The array as one row, dealt to the threads `vectorSize` elements at a time.
struct StridedLayout {
  Sizes shape;
  int64_t vectorSize = 1;
  bool operator==(const StridedLayout&) const = default;
};

// Every thread holds the one value that all elements have.
struct SplatLayout {
  Sizes shape;
  bool operator==(const SplatLayout&) const = default;
};

using RegisterLayout = std::variant<TiledLayout, StridedLayout, SplatLayout>;

// "kernel-layout" when dimensions are named twice or do not exist, or do not make 4 warps of 32 lanes;
// "kernel-tiling" of the tiling.
Status checkLayout(const TiledLayout& layout);
// The same map of elements to threads with a canonical tiling and no dimensions of size 1 among the threads'.
// Two tiled layouts are the same map for all shapes when these are equal.
TiledLayout canonical(const TiledLayout& layout);
// Without dimension `dim` of the first tile: what held its elements holds copies. Needs 0 <= dim < its rank,
// and a first tile of more than one dimension.
TiledLayout withoutDimension(const TiledLayout& layout, int64_t dim);
// How many threads hold each element of a tiled layout.
int64_t replication(const TiledLayout& layout);

}  // namespace hilo
