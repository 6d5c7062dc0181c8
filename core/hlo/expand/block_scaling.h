// Arrays of narrow floats with a scale for each block of elements along the last dimension: MXFP8 and MXFP4
// (blocks of 32, scales f8e8m0fnu), NVFP4 (blocks of 16, scales f8e4m3fn), or any other types. The value of
// an element is its number times its block's scale. Source of the calls' meaning:
// xla/backends/gpu/transforms/block_scaling_rewriter.h.
#pragma once

#include "core/hlo/expand/expansion.h"

namespace hilo::library {

struct ScaledOperand {
  Instruction* values = nullptr;
  Instruction* scales = nullptr;  // null: not scaled
};

// Operands of __op$block_scaled_dot: the last dimension is summed, the first of three is the batch.
struct ScaledDot {
  ScaledOperand lhs, rhs;
  Instruction* globalScale = nullptr;  // null: none
  // block_scaled_dot_backend_config; scales may then be more than the blocks there are. Else shapes say it.
  std::optional<int64_t> blockSize;
};
// Error kind "malformed-instruction": operands that make no such dot.
Result<ScaledDot> readScaledDot(const Expansion& call);

// Elements of `values` that share one of `scales`, where the shapes divide; nothing else.
std::optional<int64_t> blockSizeOf(Shape values, Shape scales);

// cuDNN reads scales in tiles of 128 rows by 4 blocks, each stored as 32 by 4 by 4: the order in which tensor
// memory holds them (PTX's tcgen05.mma, scale_vec::1X). Dimensions in tiles, and their order in the swizzled
// array; it is its own inverse. Rows must be a multiple of 128 and blocks of 4.
struct ScaleSwizzle {
  std::vector<int64_t> plain, swizzled;
  static constexpr std::array<int64_t, 6> kOrder = {0, 1, 4, 3, 2, 5};
};
ScaleSwizzle scaleSwizzle(Shape scales);

}  // namespace hilo::library
