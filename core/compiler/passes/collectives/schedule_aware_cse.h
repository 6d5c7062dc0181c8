// Makes one of all-gathers, and of collective-permutes, that do the same to the same value, unless the values
// of all-gathers are wanted far from each other: keeping one costs memory. An all-reduce of a value written
// into a broadcast counts as an all-gather. As XLA's service/spmd/schedule_aware_collective_ops_cse.cc, but
// that of two that stay the later one is what those behind it are compared with.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct NearCollectives {
  int64_t distance = 100;   // between the last user of one and the other, in steps to the root
  bool ofReplicas = false;  // those without a channel; else those with one
};

Result<bool> mergeNearCollectives(Module& module, PassContext& context, const NearCollectives& which = {});

}  // namespace hilo
