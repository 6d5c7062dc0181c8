// Makes one collective of several small ones that do the same to different values and do not wait for each
// other: fewer launches, more bytes each. Works on modules that are not scheduled yet. Behaves like XLA's
// service/collective_combiner_utils.h with all_reduce_combiner.cc, all_gather_combiner.cc and
// reduce_scatter_combiner.cc; gathers along different dimensions stay apart.
#pragma once

#include <functional>

#include "core/compiler/pass/pass.h"

namespace hilo {

struct CombinerLimits {
  int64_t bytes = 30 * 1024 * 1024 + 7;  // of one combined collective; XLA's for GPU
  int64_t count = 256;
  std::function<bool(const Instruction&)> accepts;  // which to combine; null: all
};

// `opcode`: AllReduce, AllGather or ReduceScatter.
Result<bool> combineCollectives(Module& module, PassContext& context, Opcode opcode,
                                const CombinerLimits& limits);

Result<bool> combineAllReduces(Module& module, PassContext& context);
Result<bool> combineAllGathers(Module& module, PassContext& context);
Result<bool> combineReduceScatters(Module& module, PassContext& context);

}  // namespace hilo
