#include "core/workspace/partition/partitioned_run.h"

#include "core/compiler/spmd/device_parts.h"
#include "core/hlo/eval/literal_digest.h"
#include "core/workspace/partition/partition_series.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/run/memory_limit.h"
#include "core/workspace/run/memory_needs.h"
#include "core/workspace/run/time_limit.h"

namespace hilo {
namespace {

// How an array or tuple of the entry lies: as `sharding=` says, else whole on each device.
Result<Tilings> tilingsOfEntry(const Instruction& instruction, Shape global, int64_t partitions) {
  if (const Sharding* sharding = instruction.get<Attr::Sharding>())
    return tilingsOf(*sharding, global, partitions, instruction);
  Tilings tilings;
  for (Shape leaf : leavesOf(global))
    tilings.push_back(replicatedTiling(leaf.isArray() ? leaf.rank() : 0, partitions));
  return tilings;
}

// What runs on one device: the module without its shardings, for one partition.
Result<std::shared_ptr<const Module>> wholeModule(const std::shared_ptr<const Module>& module,
                                                  const JobContext& context) {
  TRY(const PassSeries series, optimize({.module = module, .passes = {"sharding-remover"}}, context));
  TRY(const auto plain, series.steps.back().module());
  std::shared_ptr<Module> whole = plain->clone();
  whole->set<Attr::NumPartitions>(1);
  return whole;
}

Result<ArgumentSource> cutArguments(const Module& local, const std::vector<Literal>& whole) {
  const int64_t count = local.partitionCount();
  const auto parameters = local.entry()->parameters();
  if (parameters.size() != whole.size())
    return fail("wrong-argument", fmt::format("{} arguments of {}", whole.size(), parameters.size()));
  std::vector<std::vector<Literal>> lists(static_cast<size_t>(count));
  for (size_t i = 0; i < whole.size(); ++i) {
    TRY(const Tilings tilings, tilingsOfEntry(*parameters[i], whole[i].shape(), count));
    auto parts = cutLiteral(whole[i], tilings, count);
    for (size_t device = 0; device < parts.size(); ++device)
      lists[device].push_back(std::move(parts[device]));
  }
  ArgumentSource source{.kind = ArgumentSource::Kind::Given, .given = std::move(lists[0])};
  source.otherGiven.assign(std::make_move_iterator(lists.begin() + 1), std::make_move_iterator(lists.end()));
  return source;
}

Status joinOutput(RunRecord& run, const Module& local, Shape result) {
  if (!run.output) return fail("not-kept", "the output of the partitioned run was not kept");
  const int64_t count = local.partitionCount();
  TRY(const Tilings tilings, tilingsOfEntry(*local.entry()->root(), result, count));
  TRY(Literal joined, joinLiterals(result, tilings, run.output->elements()));
  run.notes.push_back(fmt::format("ran on {} devices; their results are put together", count));
  run.devices = 1;
  run.outputDigest = literalDigest(joined);
  run.output = std::move(joined);
  return {};
}

// Both sides' arguments are held at a time. Error kind "out-of-memory".
Status checkMemory(const PartitionedRunRequest& request, const Module& whole, const Module& local) {
  const int64_t most = memoryFree(request.worker ? request.worker->memoryLimitBytes : 0);
  const int64_t devices = local.partitionCount();
  TRY_STATUS(checkNeeds(leastNeedsOf(whole, 2, 1), most, whole.name()));
  return checkNeeds(leastNeedsOf(local, devices, devices), most, local.name());
}

Result<ArgumentSource> wholeArguments(const PartitionedRunRequest& request, const Module& whole,
                                      const JobContext& context) {
  const TimeLimit limit(request.worker ? request.worker->timeLimitNs : 0, context.cancel());
  auto made = settleArguments(whole, request.arguments, JobContext(limit.token()));
  if (!made) return std::unexpected(limit.explained(std::move(made).error(), "making arguments"));
  return made;
}

}  // namespace

Result<PartitionedRuns> runPartitioned(const PartitionedRunRequest& request, const JobContext& context) {
  TRY(const PartitionedModule made, partitionOnly(request.partition, context));
  TRY(const auto whole, wholeModule(made.module, context));
  TRY_STATUS(checkMemory(request, *whole, *made.local));
  TRY(const ArgumentSource arguments, wholeArguments(request, *whole, context));
  TRY(const ArgumentSource cut, cutArguments(*made.local, arguments.given));
  std::vector<RunRequest> requests(2);
  requests[0] = {.module = whole, .engine = request.engine, .arguments = arguments, .devices = 1};
  requests[1] = {.module = made.local, .engine = request.engine, .arguments = cut};
  requests[1].devices = made.local->partitionCount() * made.local->replicaCount();
  for (RunRequest& run : requests) {
    run.repeat = request.repeat;
    run.worker = request.worker;
  }
  TRY(auto runs, executeInTurns(requests, context));
  TRY_STATUS(joinOutput(runs[1], *made.local, whole->entry()->root()->shape()));
  return PartitionedRuns{.whole = std::move(runs[0]), .partitioned = std::move(runs[1])};
}

}  // namespace hilo
