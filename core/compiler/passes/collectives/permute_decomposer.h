// Writes collective-permutes of loops that have no cycle as a receive and a send, which can be pipelined over
// iterations, and orders them and whatever could wait for them for ever. As XLA's
// service/collective_permute_decomposer.cc, but that no order is asked for which operands contradict.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct DecomposedPermutes {
  int64_t leastBytes = 0;  // of the result; not looked at with `pipelineParallelism`
  // Of each loop one permute alone, of what the loop carries: the one with most pairs. It receives before it
  // sends, and runs on a stream of its own with what conflicts with it.
  bool pipelineParallelism = false;
};

Result<bool> decomposePermutes(Module& module, PassContext& context, const DecomposedPermutes& which = {});

}  // namespace hilo
