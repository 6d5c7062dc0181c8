// Writes a dot one side of which has no free dimension as one where that side has one of size 1, as kernels
// for tiles want it. As xla/hlo/transforms/simplifiers/gemv_rewriter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteGemvs(Module& module, PassContext& context);

}  // namespace hilo
