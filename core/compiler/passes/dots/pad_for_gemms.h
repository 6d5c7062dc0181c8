// Pads the last two dimensions of both operands of a dot of matrices with zeros to a multiple of what
// the tensor cores take at once, and cuts the result: 4 for s8, 8 for f16 and bf16. As
// xla/backends/gpu/transforms/cublas_pad_for_gemms.cc, its three runs in one.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> padForGemms(Module& module, PassContext& context);

}  // namespace hilo
