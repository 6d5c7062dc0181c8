// Reduces among groups first where each device keeps a part of an all-reduce among all partitions, and
// several keep the same part: an all-reduce among groups of as many as there are parts, the slice, and an
// all-reduce of the parts. Done where an all-reduce among one of the two kinds of groups is in the
// computation already, which can then be combined with the new one. The first two become a reduce-scatter. As
// XLA's backends/gpu/transforms/collectives/all_reduce_splitter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> splitAllReduces(Module& module, PassContext& context);

}  // namespace hilo
