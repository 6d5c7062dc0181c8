// The tables of the partition view.
#pragma once

#include "core/workspace/partition/partition.h"
#include "ui/models/table_model.h"

namespace hilo {

// What should be looked at first: an array that came whole to each device, or work that devices do alike.
struct PartitionProblem {
  std::string what;  // "full rematerialization", "computed 8 times"
  std::string name;  // the instruction
  std::string text, source;
  size_t others = 0;                         // rows alike that it stands for besides
  int64_t bytes = 0;                         // of the array; 0 of work
  double ns = 0;                             // that the work costs; 0 of an array
  const Replication* replication = nullptr;  // one of the two; of the partitioning
  const FullRematerialization* full = nullptr;
};
// Full rematerializations first, then work, each with the largest first. `alikeAsOne`: work that is said
// of the same line in the same words is one row, with the costs of all.
std::vector<PartitionProblem> problemsOf(const Partitioning& partitioning, bool alikeAsOne);

// One collective, or several alike, as those of the layers of a model: the first of them, with the times
// of all of them together.
struct AlikeCollectives : PartitionCollective {
  std::vector<std::string> others;  // the names of the rest
};
std::vector<AlikeCollectives> collectiveRows(const Partitioning& partitioning, bool alikeAsOne);

std::vector<TableColumn<PartitionProblem>> problemColumns();
std::vector<TableColumn<AlikeCollectives>> collectiveColumns();
std::vector<TableColumn<Reshard>> reshardColumns();
std::vector<TableColumn<ShardedArray>> arrayColumns();

// "fsdp"; "8 devices" where it runs along no axis.
QString alongText(const PartitionCollective& row);

}  // namespace hilo
