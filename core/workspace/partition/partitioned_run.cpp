#include "core/workspace/partition/partitioned_run.h"

#include "core/compiler/spmd/device_parts.h"
#include "core/hlo/eval/literal_digest.h"
#include "core/workspace/partition/device_arguments.h"
#include "core/workspace/partition/partition_series.h"
#include "core/workspace/run/memory_limit.h"
#include "core/workspace/run/memory_needs.h"
#include "core/workspace/run/time_limit.h"

namespace hilo {
namespace {

Status joinOutput(RunRecord& run, const Module& local, Shape result) {
  if (!run.output) return fail("not-kept", "the output of the partitioned run was not kept");
  const int64_t count = local.partitionCount();
  TRY(const Tilings tilings, tilingsOrWhole(*local.entry()->root(), result, count));
  std::vector<Literal> parts;
  for (const Literal& part : run.output->elements())
    parts.push_back(std::move(groupedAs({&result, 1}, {&part, 1}).at(0)));
  TRY(Literal joined, joinLiterals(result, tilings, parts));
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

// Of the program of one device, on all of them.
Result<RunRequest> onItsDevices(const PartitionedRunRequest& request, const Module& whole,
                                const std::shared_ptr<const Module>& local, const ArgumentSource& arguments) {
  TRY_STATUS(checkMemory(request, whole, *local));
  TRY(ArgumentSource cut, cutArguments(*local, arguments.given));
  RunRequest run{.module = local, .engine = request.engine, .arguments = std::move(cut)};
  run.devices = local->partitionCount() * local->replicaCount();
  return run;
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
  std::shared_ptr<const Module> other;
  if (request.other) {
    TRY(PartitionedModule second, partitionOnly(*request.other, context));
    other = std::move(second.local);
  }
  TRY(const ArgumentSource arguments, wholeArguments(request, *whole, context));
  std::vector<RunRequest> requests(2);
  TRY(requests[1], onItsDevices(request, *whole, made.local, arguments));
  if (other != nullptr) {
    TRY(requests[0], onItsDevices(request, *whole, other, arguments));
  } else {
    requests[0] = {.module = whole, .engine = request.engine, .arguments = arguments, .devices = 1};
  }
  for (RunRequest& run : requests) {
    run.repeat = request.repeat;
    run.worker = request.worker;
  }
  TRY(auto runs, executeInTurns(requests, context));
  const Shape result = whole->entry()->root()->shape();
  TRY_STATUS(joinOutput(runs[1], *made.local, result));
  if (other != nullptr) TRY_STATUS(joinOutput(runs[0], *other, result));
  return PartitionedRuns{.whole = std::move(runs[0]), .partitioned = std::move(runs[1])};
}

}  // namespace hilo
