// Makes scaled dots of composite calls named "xla.scaled_dot" whose scales are those of blocks of at least 32
// elements (f8 or f4 by f8e8m0fnu), or ones (bf16). As XLA's backends/gpu/transforms/composite_rewriter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteComposites(Module& module, PassContext& context);

}  // namespace hilo
