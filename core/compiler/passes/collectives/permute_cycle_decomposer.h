// Takes a collective-permute that sends values round in a cycle apart: one that leads back, one with the
// other pairs, and a select by who the device is. Neither has a cycle then, so that both can be pipelined. As
// XLA's backends/gpu/transforms/collectives/collective_permute_cycle_decomposer.cc, but where several pairs
// lead back each of their targets takes what came that way (XLA compares with the last target alone).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct PermuteCycles {
  int64_t leastBytes = 0;  // of the result
};

Result<bool> decomposePermuteCycles(Module& module, PassContext& context, const PermuteCycles& limits = {});

}  // namespace hilo
