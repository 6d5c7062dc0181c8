// What cuDNN's kernel for dots of block-scaled operands takes, and from which version. Source:
// xla/backends/gpu/transforms/block_scaling_rewriter.{h,cc}. The kernel runs on Blackwell (compute capability
// 10.0 and later) alone.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/ir/module.h"

namespace hilo {

// As cuDNN counts: 10000 * major + 100 * minor + patch.
inline constexpr int64_t kCudnnOfScaledDots = 91000;
inline constexpr int64_t kCudnnOfGlobalScales = 91300;
// "9.13.0"
std::string cudnnVersionText(int64_t version);

struct CudnnOperand {
  Shape values, scales;
  int64_t blockSize = 0;  // 0: unknown
};

// Why it does not take them; nothing where it does: MXFP8 of one or both formats (not f8e5m2 with f8e5m2) or
// NVFP4 on both sides, row-major, with blocks that divide the summed dimension.
std::optional<std::string> cudnnRefusal(const CudnnOperand& lhs, const CudnnOperand& rhs);

// Why a scaled-dot in a fusion of its own is none for cuDNN: also, that it reads other things than the
// fusion's parameters in their order, or sums another dimension than the last.
std::optional<std::string> cudnnFusionRefusal(const Instruction& scaledDot);

}  // namespace hilo
