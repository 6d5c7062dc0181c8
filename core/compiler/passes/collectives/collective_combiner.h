// Makes one collective of several small ones that do the same to different values and do not wait for each
// other: fewer launches, more bytes each. Works on modules that are not scheduled yet. Behaves like XLA's
// service/collective_combiner_utils.h with all_reduce_combiner.cc, all_gather_combiner.cc,
// reduce_scatter_combiner.cc and collective_permute_combiner.cc. Gathers along different dimensions stay
// apart, and so does what has another combiner_key or collective_group_key, what a pipelined loop runs from
// what not, and reductions with control dependencies. Where the module has a suggested_combiner_threshold,
// pipelined and synchronous reductions and gathers are combined up to that first, also where limits are
// stated (XLA: only where none is).
#pragma once

#include <functional>

#include "core/compiler/pass/pass.h"

namespace hilo {

// Of one combined collective; XLA's for GPU.
struct CombinerLimits {
  int64_t bytes = 30 * 1024 * 1024 + 7;
  int64_t count = 256;
  bool inLoops = true;       // also in bodies and conditions of loops
  bool enzymeComms = false;  // one that waits for another is passed over, and what several send is sent once
};

// `opcode`: AllReduce, AllGather, ReduceScatter or CollectivePermute. `accepts`: which of them; null: all.
Result<bool> combineCollectives(Module& module, PassContext& context, Opcode opcode,
                                const CombinerLimits& limits,
                                const std::function<bool(const Instruction&)>& accepts = {});

Result<bool> combineAllReduces(Module& module, PassContext& context, const CombinerLimits& limits = {});
Result<bool> combineAllGathers(Module& module, PassContext& context, const CombinerLimits& limits = {});
Result<bool> combineCollectivePermutes(Module& module, PassContext& context,
                                       const CombinerLimits& limits = {});
Result<bool> combineReduceScatters(Module& module, PassContext& context, const CombinerLimits& limits = {});

}  // namespace hilo
