// Writes Cholesky decompositions as a loop over columns: each is what the columns before it leave, divided by
// the root of its diagonal. XLA's hlo/transforms/expanders/cholesky_expander.cc does the same in blocks of
// 128 columns, and gives NaN for the whole of a matrix that has no decomposition; here from that column on.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandCholeskys(Module& module, PassContext& context);

}  // namespace hilo
