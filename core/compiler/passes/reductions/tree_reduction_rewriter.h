// Makes two reductions of one over a dimension longer than what one block of threads reduces without
// atomics: of k1 by k2 elements, padded if need be. As
// xla/backends/gpu/transforms/tree_reduction_rewriter.cc: rows up to 32 warps of 16 elements a thread,
// columns up to 32 rows of 128 elements, and batched rows up to 8.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteTreeReductions(Module& module, PassContext& context);

}  // namespace hilo
