// Gives every caller its own copy of what it calls, so that each value of a called computation has one
// meaning and one place. Computations that are applied to elements are left shared, unless they are called as
// well (then the callers get copies) or the rules say otherwise. A copy's fusions fuse copies too. Like XLA's
// FlattenCallGraph (hlo/transforms/simplifiers/flatten_call_graph.cc).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct FlattenRules {
  bool shareCalls = false;   // computations that nothing but calls runs
  bool copyApplied = false;  // a copy for each instruction that applies one to elements, too
};

Result<bool> flattenCallGraph(Module& module, PassContext& context, const FlattenRules& rules = {});

// What is told of a module that was flattened without being asked to.
inline constexpr std::string_view kCallsFlattened =
    "computations are called from several places: each caller is given its own copy, as flatten-call-graph "
    "does";

// The module itself where every call has a computation of its own, else a copy of it in which they have;
// instructions keep their ids.
Result<std::shared_ptr<const Module>> withFlatCalls(std::shared_ptr<const Module> module,
                                                    const CancelToken& cancel);

}  // namespace hilo
