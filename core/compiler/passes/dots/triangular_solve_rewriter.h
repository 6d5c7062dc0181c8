// Makes calls to cuBLAS of triangular solves: the result and a workspace. As XLA's
// backends/gpu/transforms/triangular_solve_rewriter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteTriangularSolves(Module& module, PassContext& context);

}  // namespace hilo
