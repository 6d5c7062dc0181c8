// Computes in bf16 what cuDNN has no plan for: fusions for it ("__cudnn$fusion") with a convolution and 8 bit
// floats, which become bf16 inside, with conversions outside. XLA's
// backends/gpu/transforms/conv_fp8_fallback.cc asks cuDNN; here it is a rule by the device's generation.
// Convolutions of 8 bit floats have plans from compute capability 8.9 on; from 12.0 on, where features are in
// groups, only with 16 or more of the input in each. Those of bf16 have plans from 8.0 on. Left alone, by
// name: fusions that have plans, that have none in bf16 either, and that have constants of 8 bit floats, look
// at their bits or apply a computation to them.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct F8FallbackSettings {
  int64_t capability = 90;  // 10 times the device's compute capability
};

Result<bool> computeF8ConvolutionsInBf16(Module& module, PassContext& context,
                                         const F8FallbackSettings& settings = {});

}  // namespace hilo
