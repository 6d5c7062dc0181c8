// Writes scaled dots as dots of operands that are multiplied by their scales, in a type that holds both: bf16
// of two narrow types, else the wider one, f32 of different types of one width. As XLA's
// backends/gpu/transforms/scaled_dot_rewriter.cc. The scales of blocks are products rounded to that type,
// where scaled-dot itself rounds none.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ScaledDotSettings {
  bool leavesCudnn = false;  // those that a fusion of cuDNN takes (cudnn_scaled_dot.h)
};
Result<bool> rewriteScaledDots(Module& module, PassContext& context, const ScaledDotSettings& settings = {});

}  // namespace hilo
