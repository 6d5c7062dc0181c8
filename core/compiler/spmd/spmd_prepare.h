// Takes a scatter apart whose indices and updates are two side by side, where each half alone picks along a
// dimension in order and so can be cut, and both together cannot: a simplifier may have made one of two. As
// XLA's service/spmd/spmd_prepare.cc; XLA for GPU does not run it.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> prepareForPartitioning(Module& module, PassContext& context);

}  // namespace hilo
