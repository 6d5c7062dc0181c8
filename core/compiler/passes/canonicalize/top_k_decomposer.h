// Writes top-k as a stable sort of the elements with their places, in total order, and a slice: equal
// elements come by their places. As XLA's TopkDecomposer (service/topk_rewriter.cc). Remark: "expanded".
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> decomposeTopK(Module& module, PassContext& context);

}  // namespace hilo
