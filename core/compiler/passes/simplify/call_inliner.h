// Replaces each call by a copy of the instructions it calls, innermost first. A call with a backend_config,
// marked inlineable="false" by its frontend attributes, or inside an async computation stays, as in XLA's
// CallInliner (call_inliner.cc). Computations left without callers are for dead code elimination to remove.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> inlineCalls(Module& module, PassContext& context);

// Of one call or fusion, whatever it is marked with: copies what it calls in front of it, and removes it.
// What depended on its control order depends on that of the copies.
void inlineCall(Instruction& call);

}  // namespace hilo
