// Makes calls to "TopK" of sorts from the largest on whose first elements alone are read: of f32 or bf16,
// alone or with their places, along the first or last dimension. As XLA's service/topk_rewriter.cc for
// comparisons "greater than" of the two values; the comparisons on bits that older frameworks write are left.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteTopK(Module& module, PassContext& context);

}  // namespace hilo
