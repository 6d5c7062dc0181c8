// Makes calls to CUB of running sums along the fastest dimension of an array in row-major order. What the sum
// starts from is added to all of it, and the total is its last element. As XLA's
// backends/gpu/transforms/scan_rewriter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteScans(Module& module, PassContext& context);

}  // namespace hilo
