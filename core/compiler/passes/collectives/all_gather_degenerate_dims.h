// Takes dimensions of size 1, other than the gathered one, out of the operand of an all-gather and puts them
// back into its result. As xla/hlo/transforms/collectives/all_gather_remove_degenerate_dims.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> removeAllGatherDegenerateDims(Module& module, PassContext& context);

}  // namespace hilo
