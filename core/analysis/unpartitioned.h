// Whether a module is what JAX dumps before it is partitioned: of several partitions, with shardings, and
// nothing that devices exchange but in the manual regions of shard_map. Its costs, schedule and memory are
// those of all devices together; what one device does is known after the pipeline spmd.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// A partitioned module that exchanges nothing and kept the shardings of its parameters reads alike: what is
// shown should say "not partitioned", not refuse.
bool isUnpartitioned(const Module& module);
// What to say of one: "not partitioned yet: the figures are of all 4 partitions together; ..."
std::string unpartitionedText(const Module& module);

}  // namespace hilo
