// Splits collectives into a start and a done, side by side, so that a scheduler can move work between them:
// all-gather, all-reduce and collective-permute into their own pairs, all-to-all, collective-broadcast,
// ragged-all-to-all and reduce-scatter into async-start and -done around a computation. Collectives that are
// in such a computation already, or marked synchronous, stay. Behaves like XLA's
// hlo/transforms/collectives/async_collective_creator.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct AsyncCollectiveLimits {
  int64_t leastReducedBytes = 0;  // all-reduces of fewer stay
  bool anySize = false;           // the limit does not hold
};

Result<bool> createAsyncCollectives(Module& module, PassContext& context,
                                    const AsyncCollectiveLimits& limits = {});

}  // namespace hilo
