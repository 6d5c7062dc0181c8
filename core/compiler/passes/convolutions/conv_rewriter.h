// Makes calls to cuDNN of convolutions: backward to the input where the filter is reversed (or the window is
// one element and the input has holes), backward to the filter where the window is as large as the input of
// another convolution would be, forward otherwise. As XLA's backends/gpu/transforms/conv_rewriter.cc; batch
// groups stay, but in gradients of filters. A gradient with a constant filter, which XLA reverses twice, is
// made a forward convolution. Sums of s8 that are too large wrap around before, and saturate in cuDNN.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteConvolutions(Module& module, PassContext& context);

}  // namespace hilo
