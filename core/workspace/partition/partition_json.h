// A partitioning as JSON, the same for every client.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/workspace/partition/partition.h"

namespace hilo {

// "mesh", "collectives" (kind, bytes, cause, ...), "reshards", "fullRematerializations", "replications",
// "metrics", "notes". Times in nanoseconds.
nlohmann::json partitioningJson(const Partitioning& partitioning);

}  // namespace hilo
