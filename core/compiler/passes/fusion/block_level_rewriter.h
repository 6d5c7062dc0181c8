// Lets Triton make the kernels of fusions: kind __triton with a tiling, the one that an estimate says is the
// quickest. Those where it is likely to be quicker: slow transposes by loops, and sums of 32 bit integers; or
// all that it takes. As XLA's backends/gpu/transforms/fusion_block_level_rewriter.cc with tilings as
// analysis/tiling ranks them.
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/fusion/fusion_cost.h"

namespace hilo {

struct BlockLevelFusions : GpuRates {
  bool all = false;
  bool severalResults = false;  // also fusions with several results of one shape
};

// Not fusions with a dot, nor those that have a kind already.
Result<bool> rewriteToBlockLevel(Module& module, PassContext& context, const BlockLevelFusions& which = {});

}  // namespace hilo
