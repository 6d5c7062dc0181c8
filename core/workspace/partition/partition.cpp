#include "core/workspace/partition/partition.h"

#include "core/analysis/unpartitioned.h"
#include "core/base/check.h"
#include "core/workspace/partition/collectives.h"
#include "core/workspace/partition/partition_series.h"
#include "core/workspace/schedule/schedule.h"
#include "core/workspace/schedule/schedule_facts.h"
#include "core/workspace/schedule/schedule_target.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> notSharded(const Module& module) {
  const int64_t count = module.partitionCount();
  return fail("not-sharded",
              count > 1
                  ? fmt::format("{} is for {} partitions and has no sharding", module.name(), count)
                  : fmt::format("{} is for one partition: there is nothing to partition", module.name()),
              {}, {"JAX dumps a module with shardings where its arrays are given some"});
}

// Every collective's time and what of it is exposed, in the order the scheduler makes.
Result<TimesByCollective> schedule(Partitioning& partitioning, const JobContext& context) {
  ScheduleScenario scenario;
  scenario.device = partitioning.device;
  TRY(const auto study, ScheduleStudy::open(partitioning.local, true, context));
  TRY(const ScheduleOutcome outcome, study->run(scenario, context));
  partitioning.metrics = outcome.metrics;
  TimesByCollective times;
  for (const OverlapRow& row : overlapRows(outcome)) {
    CollectiveTimes& of = times[study->ofModule(row.start)];
    of.ns += row.latencyNs * static_cast<double>(row.times);
    of.exposedNs += row.totalExposedNs();
  }
  return times;
}

// What the remarks of the series say besides collectives.
void addNotes(Partitioning& partitioning) {
  for (const SeriesStep& step : partitioning.series.steps) {
    for (const Remark& remark : step.remarks) {
      if (remark.kind == "shardy") partitioning.notes.push_back(remark.message);
    }
  }
}

Status run(Partitioning& partitioning, const JobContext& context) {
  context.progress(-1, "partitioning");
  TRY(partitioning.series, partitionSeries(partitioning.request, context));
  const SeriesStep* before = stepBeforePartitioning(partitioning.series);
  CHECK(before != nullptr, "the pipeline spmd has no spmd-partitioning");
  TRY(partitioning.spread, before->module());
  TRY(partitioning.local, partitioning.series.steps.back().module());
  addNotes(partitioning);
  return {};
}

}  // namespace

std::string meshText(const DeviceMesh& mesh) {
  std::vector<std::string> axes;
  for (const DeviceMesh::Axis& axis : mesh.axes) axes.push_back(fmt::format("{} {}", axis.name, axis.size));
  if (axes.empty()) return fmt::format("{} devices", mesh.devices.size());
  return fmt::format("{}", fmt::join(axes, " x "));
}

Result<std::shared_ptr<const Partitioning>> makePartitioning(const PartitionRequest& request,
                                                             const JobContext& context) {
  auto partitioning = std::make_shared<Partitioning>();
  partitioning->request = request;
  TRY(partitioning->request.module, forItsDevices(request));
  const std::shared_ptr<const Module>& module = partitioning->request.module;
  if (module->partitionCount() <= 1) return notSharded(*module);
  const ScheduleTarget target = scheduleTargetOf(*module, request.path);
  partitioning->device = request.device.empty() ? target.device : request.device;
  partitioning->deviceText = request.device.empty() ? targetText(target) : request.device;
  partitioning->mesh = deviceMesh(*module);
  if (isUnpartitioned(*module)) {
    TRY_STATUS(run(*partitioning, context));
  } else {
    partitioning->local = module;
    partitioning->series = {.title = std::string(module->name()), .steps = {makeStep("input", module)}};
  }
  context.progress(-1, "scheduling");
  TRY(const auto times, schedule(*partitioning, context));
  partitioning->collectives = collectivesOf(*partitioning->local, partitioning->mesh, times);
  if (partitioning->spread == nullptr) {
    if (partitioning->collectives.empty()) return notSharded(*module);
    return partitioning;
  }
  partitioning->causes =
      std::make_shared<const MoveCauses>(partitioning->spread, partitioning->series, partitioning->mesh);
  const MoveCauses& causes = *partitioning->causes;
  addCauses(partitioning->collectives, partitioning->series, causes);
  partitioning->reshards = reshardsOf(partitioning->collectives);
  partitioning->fullRematerializations = fullRematerializationsOf(partitioning->series, causes);
  TRY(partitioning->replications, replicationsOf(*partitioning));
  partitioning->arrays = shardedArrays(*partitioning->spread, partitioning->mesh);
  return partitioning;
}

}  // namespace hilo
