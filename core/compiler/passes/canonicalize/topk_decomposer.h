// Writes a top-k operation as a stable sort of values and positions along the last dimension, NaN as the
// largest, and slices of the first k. As TopkDecomposer of xla/service/topk_rewriter.cc, of topk instructions
// and of calls to "TopK".
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct TopKDecomposing {
  bool leavesFew = false;  // isOfFewBest (core/analysis/few_best.h)
};

Result<bool> decomposeTopK(Module& module, PassContext& context, const TopKDecomposing& settings = {});

}  // namespace hilo
