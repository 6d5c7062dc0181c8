// Writes __op$quantize, __op$dequantize and __op$block_scaled_dot (core/hlo/expand/block_scaling.h) as HLO,
// or a dot as cuDNN's call where the target's cuDNN has a kernel for it: operands padded to rows of 128,
// scales to 128 by 4 and swizzled, the result cut. As XLA's
// backends/gpu/transforms/block_scaling_rewriter.cc, but in place, where XLA leaves a call. Remarks: "cudnn",
// or "expanded" with the reason why it is not cuDNN's.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct BlockScalingSettings {
  int64_t cudnnVersion = 0;  // as cuDNN counts (cudnn_scaled_dot.h); 0: no cuDNN of a Blackwell GPU
};
// Error kind "malformed-instruction": a call that cannot be.
Result<bool> rewriteBlockScaling(Module& module, PassContext& context,
                                 const BlockScalingSettings& settings = {});

}  // namespace hilo
