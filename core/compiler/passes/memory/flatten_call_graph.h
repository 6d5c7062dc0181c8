// Gives every caller its own copy of what it calls, so that each value of a called computation has one
// meaning and one place. Computations that are applied to elements, or fused, are left shared unless they are
// called as well: then the callers get copies. Like XLA's FlattenCallGraph
// (hlo/transforms/simplifiers/flatten_call_graph.cc).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> flattenCallGraph(Module& module, PassContext& context);

}  // namespace hilo
