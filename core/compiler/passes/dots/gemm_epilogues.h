// What follows a call to cuBLASLt and can become part of it: a constant factor, an addition of a matrix or of
// a vector, a relu, a gelu, and what f8_epilogues.h says. As XLA's backends/gpu/transforms/gemm_rewriter.cc.
#pragma once

#include "core/compiler/passes/dots/gemm_products.h"

namespace hilo {

// True when it changed anything. `calls` is kept up to date. `addsBias`: matrices and vectors too.
bool fuseGemmEpilogues(Computation& computation, GemmCalls& calls, bool addsBias, PassContext& context);

}  // namespace hilo
