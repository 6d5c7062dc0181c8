// How many devices the shardings of a module are for.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// The most that one of them names; 1 where none cuts anything, or where the module was partitioned before: it
// is scheduled, or its devices communicate. A protobuf does not say for how many partitions a module is.
int64_t shardingDevices(const Module& module);

}  // namespace hilo
