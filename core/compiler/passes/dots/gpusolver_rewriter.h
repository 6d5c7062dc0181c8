// Makes calls to cuSOLVER of Cholesky decompositions, NaN where a matrix has none. As XLA's
// service/gpu/transforms/gpusolver_rewriter.cc, which went in January 2026. The workspace, which XLA asks the
// library for, is one column here.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteCholeskys(Module& module, PassContext& context);

}  // namespace hilo
