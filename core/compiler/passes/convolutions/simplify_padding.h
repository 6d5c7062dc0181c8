// Drops the slice between a convolution of cuDNN and a pad with zeros where what it cuts off are features
// that are zero anyway, since the filter makes none of them: the pad is that much smaller instead. As XLA's
// backends/gpu/transforms/cudnn_simplify_padding.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyCudnnPadding(Module& module, PassContext& context);

}  // namespace hilo
