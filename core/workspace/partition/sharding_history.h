// How an instruction came to its sharding: back from it to the annotation that it began with.
#pragma once

#include "core/workspace/partition/partition.h"

namespace hilo {

struct ShardingStep {
  MoveEnd at;        // the instruction, its sharding at the end of it all, and who gave it
  std::string gave;  // what it got at this point, in XLA's text
};

// The instruction first, the annotation last; ends where the module states a sharding, or where none is
// known. Empty where the instruction has no sharding. Error kinds "no-such-instruction" (in
// Partitioning::spread) and "not-sharded" (of a module that was partitioned before).
Result<std::vector<ShardingStep>> shardingHistory(const Partitioning& partitioning, const std::string& name);

}  // namespace hilo
