// Takes a bitcast that is all a __triton_gemm fusion does with a parameter, or the last thing it does, out
// of the fusion, so that its tiles are those of the dot. As
// xla/backends/gpu/transforms/hoist_fused_bitcasts.cc, for bitcasts next to a parameter or the root.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> hoistFusedBitcasts(Module& module, PassContext& context);

}  // namespace hilo
