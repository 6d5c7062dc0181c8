// Writes convolutions as dots: what the windows cover, gathered from the padded input by places that are
// computed, times the kernel. A kernel made of the dot and what is before it (dot_fusion.h) reads the windows
// as it needs them, and stores no copy of them. Those in groups, and with fewer than 16 places, features or
// products a sum stay. Remark: "as dot".
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ConvolutionDotSettings {
  bool leavesPlain = false;  // those that cuDNN takes (plain_convolution.h) stay
};

Result<bool> writeConvolutionsAsDots(Module& module, PassContext& context,
                                     const ConvolutionDotSettings& settings = {});

}  // namespace hilo
