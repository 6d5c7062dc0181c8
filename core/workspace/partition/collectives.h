// The tables of a partitioning. Private to this folder.
#pragma once

#include "core/analysis/partition_groups.h"
#include "core/workspace/partition/move_causes.h"

namespace hilo {

// Of a schedule: what each instruction of `local` that is a collective takes, by id.
struct CollectiveTimes {
  double ns = 0, exposedNs = 0;
};
using TimesByCollective = absl::flat_hash_map<InstructionId, CollectiveTimes>;

// Longest first; without causes.
std::vector<PartitionCollective> collectivesOf(const Module& local, const DeviceMesh& mesh,
                                               const TimesByCollective& times);
// Gives the collectives their causes, by name.
void addCauses(std::vector<PartitionCollective>& collectives, const PassSeries& series,
               const MoveCauses& causes);
// Collectives of the same value, from and to the same shardings, for the same consumer.
std::vector<Reshard> reshardsOf(const std::vector<PartitionCollective>& collectives);
std::vector<FullRematerialization> fullRematerializationsOf(const PassSeries& series,
                                                            const MoveCauses& causes);

// What several devices compute alike, and what it costs on the device. Those that waste most first. Error
// kinds: those of costOfModule().
Result<std::vector<Replication>> replicationsOf(const Partitioning& partitioning);

std::vector<ShardedArray> shardedArrays(const Module& spread, const DeviceMesh& mesh);

}  // namespace hilo
