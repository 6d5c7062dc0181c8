// Replaces each call by a copy of the instructions it calls, innermost first. A call with a backend_config,
// marked inlineable="false" by its frontend attributes, or inside an async computation stays, as in XLA's
// CallInliner (call_inliner.cc). Computations left without callers are for dead code elimination to remove.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> inlineCalls(Module& module, PassContext& context);

}  // namespace hilo
