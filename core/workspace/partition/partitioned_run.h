// A module run whole on one device, and partitioned on all of its: the same arguments, cut by the shardings
// of the parameters, and the results put together again by those of the root. Or two partitionings of one
// module, with other constraints or for other numbers of devices.
#pragma once

#include "core/workspace/partition/partition.h"
#include "core/workspace/run/runs.h"

namespace hilo {

struct PartitionedRunRequest {
  PartitionRequest partition;
  // Runs instead of the whole module: of the same one.
  std::optional<PartitionRequest> other = std::nullopt;
  std::string engine = "reference";  // of both
  ArgumentSource arguments;
  int repeat = 1;
  std::optional<WorkerOptions> worker = std::nullopt;
};

struct PartitionedRuns {
  RunRecord whole;        // or the other partitioning
  RunRecord partitioned;  // its output is the joined one, as if it were of one device
};

// Copies of a part must be the same on every device that holds it: error kind "copies-differ". Others: those
// of partitioning, of executeInTurns(), "not-sharded", "bad-device-count", "out-of-memory", "time-limit".
Result<PartitionedRuns> runPartitioned(const PartitionedRunRequest& request, const JobContext& context);

}  // namespace hilo
