// Writes ragged dots as dots of all groups: each group's rows in a copy of the operand in which the others
// are zero. The groups are a dimension that is summed over, where the ragged dimension is one of the result,
// or a batch dimension, where it is summed over. As XLA's hlo/transforms/expanders/ragged_dot_rewriter.cc;
// sizes of groups for each batch, and rows beyond all groups of a ragged batch dimension, are left. Grouped
// products of a library, which XLA leaves ragged dots for, are there on AMD's GPUs alone, and so not here.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// cuDNN's grouped product takes a ragged dimension of the result in f16 or bf16, from Ampere and 9.22 on.
struct RaggedDotSettings {
  bool leavesFusions = false;  // to the pass that makes fusions of cuDNN of them
  int64_t computeCapability = 90;
  int64_t cudnnVersion = 92200;  // 10000 * major + 100 * minor + patch
};
Result<bool> rewriteRaggedDots(Module& module, PassContext& context, const RaggedDotSettings& settings = {});

}  // namespace hilo
