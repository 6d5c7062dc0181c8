// What a block computes for one tile of the result, and what it holds meanwhile.
#pragma once

#include "core/analysis/tiling/tile.h"
#include "core/hlo/ir/element_type.h"

namespace hilo {

struct TileProduct {
  int64_t batch = 1, rows = 0, columns = 0, summed = 0;  // of one step
  int64_t steps = 1;
  ElementType type = ElementType::F32;  // of the left operand
  bool onTensorCores = false;           // of a type they take, and not too small
  double flops() const;                 // of all steps, rounded up to what tensor cores do at once
  double operandBytes() const;          // of one step
};

struct TileWork {
  double vectorFlops = 0;             // of all steps, but products; a transcendental function is eight
  std::vector<TileProduct> products;  // of dots
  int64_t steps = 1;                  // the most that anything takes
  int64_t warps = 1;                  // as many as there is work for, eight at most
  int64_t registersOfThread = 0;      // 255 at most
  double spilledBytes = 0;            // of a block, written and read again in each step
  int64_t sharedBytes = 0;            // both operands of products, twice where they have steps
};

// `warps`: 0 lets the work decide.
TileWork workOf(const TilingSpace& space, const FusionTiling& tiling, int64_t warps, bool usesTensorCores);

}  // namespace hilo
