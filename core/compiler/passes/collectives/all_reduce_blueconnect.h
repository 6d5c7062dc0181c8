// Reduces among the devices of a host first: a reduce-scatter there, an all-reduce of the parts between
// hosts, and an all-gather on the host; what is left between hosts again in pairs, as long as there are more
// than two. As XLA's backends/gpu/transforms/collectives/all_reduce_blueconnect.cc, for devices in the order
// of their numbers.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct Hosts {
  int64_t devices = 8;  // of each
};

// Nothing where an all-reduce of the module constrains layouts.
Result<bool> reduceByHosts(Module& module, PassContext& context, const Hosts& hosts = {});

}  // namespace hilo
