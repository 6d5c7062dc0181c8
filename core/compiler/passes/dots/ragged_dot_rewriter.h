// Writes ragged dots as dots of all groups: each group's rows in a copy of the operand in which the others
// are zero. The groups are a dimension that is summed over, where the ragged dimension is one of the result,
// or a batch dimension, where it is summed over. As XLA's hlo/transforms/expanders/ragged_dot_rewriter.cc;
// sizes of groups for each batch, and rows beyond all groups of a ragged batch dimension, are left.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> rewriteRaggedDots(Module& module, PassContext& context);

}  // namespace hilo
