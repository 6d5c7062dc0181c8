// Writes convolutions as dots: what the windows cover, gathered from the padded input by places that are
// computed, times the kernel. A kernel made of the dot and what is before it (dot_fusion.h) reads the windows
// as it needs them, and stores no copy of them. Groups of features become a batch dimension. Those with fewer
// than 16 places, features of a group or products a sum stay, and groups where features lie before the batch.
// Remark: "as dot".
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ConvolutionDotSettings {
  bool leavesPlain = false;  // those that cuDNN takes (plain_convolution.h) stay
};

Result<bool> writeConvolutionsAsDots(Module& module, PassContext& context,
                                     const ConvolutionDotSettings& settings = {});

}  // namespace hilo
