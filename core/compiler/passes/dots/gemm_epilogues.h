// What follows a call to cuBLASLt and can become part of it: a constant factor, an addition of a matrix or of
// a vector, a relu, a gelu. As XLA's backends/gpu/transforms/gemm_rewriter.cc.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/dots/gemm_call.h"

namespace hilo {

// The calls of a computation, by the instruction that is the call.
using GemmCalls = absl::flat_hash_map<const Instruction*, GemmCall>;

// True when it changed anything. `calls` is kept up to date. `addsBias`: matrices and vectors too.
bool fuseGemmEpilogues(Computation& computation, GemmCalls& calls, bool addsBias, PassContext& context);

}  // namespace hilo
