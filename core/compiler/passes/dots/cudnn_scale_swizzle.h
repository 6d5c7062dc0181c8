// Brings the scales that a fusion of cuDNN with a scaled-dot reads into the order its kernel takes them in:
// in front of the fusion they are padded and swizzled (cudnn_scales.h), inside of it that is undone, so that
// the HLO still says what is computed. As XLA's CudnnScaledDotHelper::AddScaleSwizzle, which leaves out the
// way back. For row-major arrays, behind layout assignment. Remarks: "swizzled", or "left" with the reason.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> swizzleCudnnScales(Module& module, PassContext& context);

}  // namespace hilo
