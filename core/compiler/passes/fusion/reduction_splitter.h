// Makes two reductions of one that folds a whole large array into one element: of each place of the slowest
// dimension, and of what these gave. The first can be shared among threads, where one element is the work of
// one. Only where the order of folding is free and what lies between is not rounded to a narrower type. XLA's
// GPU backend splits for the same reason (tree_reduction_rewriter.cc).
#pragma once

#include "core/compiler/pass/engine_costs.h"
#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> splitReductions(Module& module, PassContext& context, const EngineCosts& costs);

}  // namespace hilo
