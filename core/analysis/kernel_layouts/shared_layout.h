// Where the elements of an array lie in a block's shared memory, after the transforms of JAX's Mosaic GPU
// kernels: tile and transpose change the order of elements, the swizzle exchanges chunks of 16 bytes
// (jax/experimental/mosaic/gpu/launch_context.py, MemRefTransform; CUDA's CU_TENSOR_MAP_SWIZZLE).
#pragma once

#include <variant>

#include "core/analysis/kernel_layouts/tiling_steps.h"

namespace hilo {

// The last dimensions become (dimension / tile) ... (tile) ...; a dimension below its tile is one tile.
struct TileTransform {
  Sizes tile;
  bool operator==(const TileTransform&) const = default;
};

// Dimension i is dimension permutation[i] of the array before.
struct TransposeTransform {
  Sizes permutation;
  bool operator==(const TransposeTransform&) const = default;
};

struct SharedLayout {
  std::vector<std::variant<TileTransform, TransposeTransform>> transforms;  // in the order they are applied
  int64_t swizzleBytes =
      16;  // 16 (none), 32, 64 or 128: the chunk of 16 bytes is XORed with the row of 128 bytes
  bool operator==(const SharedLayout&) const = default;
};

class SharedMap {
 public:
  // "shared-layout" when a tile does not divide its dimension, a permutation is none, the swizzle has no such
  // size, or the element has other than 1 to 128 bits, a power of two; "kernel-shape" without elements or
  // with more than 2^32.
  static Result<SharedMap> of(const SharedLayout& layout, const Sizes& shape, int64_t elementBits);

  const Sizes& shape() const { return shape_; }
  int64_t elementBits() const { return elementBits_; }
  // Dimensions as they lie in memory, the last fastest, before the swizzle.
  const Sizes& sizesInMemory() const { return sizes_; }
  int64_t bytes() const;

  // From the start of the array, which lies at a multiple of 1024 bytes.
  int64_t bitOf(const Sizes& index) const;
  int64_t byteOf(const Sizes& index) const { return bitOf(index) / 8; }
  // The element that begins at this bit; the bit is one that bitOf gives.
  Sizes elementAt(int64_t bit) const;

 private:
  SharedMap() = default;
  int64_t swizzled(int64_t bit) const;

  SharedLayout layout_;
  Sizes shape_;
  std::vector<Sizes> sizesBefore_;  // of each transform
  Sizes sizes_;
  int64_t elementBits_ = 0;
};

}  // namespace hilo
