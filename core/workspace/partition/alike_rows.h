// Rows of a partitioning that say the same, as the layers of a model do, under one of them.
#pragma once

#include <span>
#include <vector>

#include "core/base/alike_rows.h"
#include "core/workspace/partition/partition.h"

namespace hilo {

// By what they do, where they run and the line that needs them; those that take longest together first.
std::vector<std::vector<const PartitionCollective*>> alikeCollectives(const Partitioning& partitioning);
// By what they say of which line; those that cost most together first.
std::vector<std::vector<const Replication*>> alikeReplications(const Partitioning& partitioning);

}  // namespace hilo
