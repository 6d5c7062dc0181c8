// Where a partitioned module differs from the module it was made of: the first instruction, inside of loops,
// branches and calls too, whose value on the devices is not what the whole instruction makes of the values
// that its operands have there.
//
// The program of one device runs on all of them; the value of every instruction that has kept its name is put
// together by its sharding, and the instruction of the whole module is computed on its operands' values put
// together the same way. So rounding that only adds up, as sums in another order do, is no divergence, and a
// wrong collective is found at the instruction it was made for. Devices that hold different copies of one
// part are a divergence too.
#pragma once

#include "core/workspace/partition/partitioned_run.h"
#include "core/workspace/values/first_divergence.h"

namespace hilo {

struct PartitionedDivergenceRequest {
  std::shared_ptr<const Module> spread;  // before spmd-partitioning: whole shapes with their shardings
  std::shared_ptr<const Module> local;   // after it
  std::string engine = "reference";      // of both
  ArgumentSource arguments;              // of the whole module
  Tolerance tolerance = {};
  std::optional<WorkerOptions> worker = std::nullopt;
};

// Divergence::steps: the instructions of the entry that were compared. What has no value to be put together,
// as parts of a sum or values of a manual region, is left out; a note counts them. Error kinds: those of
// execute(), "memory-limit" where there is no room for all values of a computation.
Result<Divergence> findPartitionedDivergence(const PartitionedDivergenceRequest& request,
                                             const JobContext& context);

// The modules before and after spmd-partitioning. Error kinds: those of partitionOnly().
struct PartitionedPair {
  std::shared_ptr<const Module> spread, local;
};
Result<PartitionedPair> partitionedPair(const PartitionRequest& request, const JobContext& context);

}  // namespace hilo
