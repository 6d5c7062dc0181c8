// The passes of the pipeline spmd over a module, with constraints put in before shardings spread. Private to
// the room, as what a partitioning is made of.
#pragma once

#include "core/workspace/partition/partition.h"

namespace hilo {

// The module, for as many devices as asked for. Error kinds: those of forDevices().
Result<std::shared_ptr<const Module>> forItsDevices(const PartitionRequest& request);

Result<PassSeries> partitionSeries(const PartitionRequest& request, const JobContext& context);

// The same of a module that must have shardings to go by. Error kind "not-sharded".
Result<PassSeries> unpartitionedSeries(const PartitionRequest& request, const JobContext& context);

// Without times and causes. Error kinds: "not-sharded" also for a module that was partitioned before.
struct PartitionedModule {
  std::shared_ptr<const Module> module;  // for as many devices as asked for
  std::shared_ptr<const Module> local;
};
Result<PartitionedModule> partitionOnly(const PartitionRequest& request, const JobContext& context);

// A clone with the annotations in it. Error kinds "no-such-instruction", "bad-constraint".
Result<std::shared_ptr<const Module>> withConstraints(const Module& module,
                                                      const std::vector<ShardingConstraint>& constraints);

// A clone for another number of devices: every sharding runs along one axis, which becomes as long. Error
// kind "bad-device-count" where shardings run along several.
Result<std::shared_ptr<const Module>> forDevices(const Module& module, int64_t devices);

// The step before the pass spmd-partitioning; null where there is none.
const SeriesStep* stepBeforePartitioning(const PassSeries& series);
// All remarks of a kind, in order.
std::vector<const Remark*> remarksOf(const PassSeries& series, std::string_view pass);

}  // namespace hilo
