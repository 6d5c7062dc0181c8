// Writes long running totals as totals of rows and totals of these, which takes time linear in the length and
// not quadratic: a reduce-window with one window dimension, as long as the array, that reaches to each
// element from the first or the last. Any other reduce-window of a vector is made one of a row
// (reduce_window_resizer.h). As XLA's
// hlo/transforms/simplifiers/reduce_window_rewriter.cc; unlike there, a start that would count more than
// once, and combiners that are not one operation for each array, stay as they are.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ReduceWindowRows {
  int64_t length = 16;
};

Result<bool> rewriteReduceWindows(Module& module, PassContext& context, const ReduceWindowRows& rows = {});

}  // namespace hilo
