// Takes the bitcasts of a __triton_gemm fusion out of it, up past elementwise work, broadcasts and transposes
// to its parameters, and down to its result, so that its tiles are those of the dot. As
// xla/backends/gpu/transforms/hoist_fused_bitcasts.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Of one fusion of its module, which is replaced where its result changes. True: something was taken out.
bool takeOutBitcasts(Instruction& fusion);

Result<bool> hoistFusedBitcasts(Module& module, PassContext& context);

}  // namespace hilo
