#include "core/workspace/partition/partition_series.h"

#include "core/analysis/unpartitioned.h"
#include "core/base/check.h"
#include "core/workspace/passes/optimize.h"

namespace hilo {
namespace {

constexpr std::string_view kPartitioning = "spmd-partitioning";

const Pipeline& spmdPipeline() {
  const auto all = listPipelines();
  const auto found = std::ranges::find(all, "spmd", &Pipeline::name);
  CHECK(found != all.end(), "no pipeline spmd");
  return *found;
}

// How many passes come before shardings spread.
size_t preparingPasses(const Pipeline& pipeline) {
  for (size_t i = 0; i < pipeline.passes.size(); ++i) {
    if (pipeline.phaseOf(i) == "spread") return i;
  }
  CHECK(false, "the pipeline spmd has no phase 'spread'");
}

// Passes `first` to `end` of the pipeline, with what is asked of the partitioner.
Result<PassSeries> runPart(std::shared_ptr<const Module> module, size_t first, size_t end, bool fewestBytes,
                           const JobContext& context) {
  const Pipeline& pipeline = spmdPipeline();
  OptimizeRequest request{.module = std::move(module)};
  for (size_t i = first; i < end; ++i) {
    std::string text = passText(pipeline.passes[i]);
    if (fewestBytes && text == kPartitioning) text += "{fewest_bytes=true}";
    request.passes.push_back(std::move(text));
  }
  TRY(PassSeries series, optimize(request, context));
  for (size_t i = first; i < end; ++i) series.steps[i - first + 1].pipeline = pipeline.phaseOf(i);
  return series;
}

}  // namespace

Result<std::shared_ptr<const Module>> forItsDevices(const PartitionRequest& request) {
  if (request.devices == 0 || request.devices == request.module->partitionCount()) return request.module;
  return forDevices(*request.module, request.devices);
}

Result<PassSeries> partitionSeries(const PartitionRequest& request, const JobContext& context) {
  const Pipeline& pipeline = spmdPipeline();
  const size_t all = pipeline.passes.size(), preparing = preparingPasses(pipeline);
  if (request.constraints.empty() && !request.fewestBytes)
    return optimize({.module = request.module, .pipeline = std::string(pipeline.name)}, context);
  if (request.constraints.empty()) return runPart(request.module, 0, all, request.fewestBytes, context);
  TRY(PassSeries series, runPart(request.module, 0, preparing, request.fewestBytes, context));
  TRY(const auto prepared, series.steps.back().module());
  TRY(const auto constrained, withConstraints(*prepared, request.constraints));
  series.steps.push_back(makeStep("constraints", constrained, StepKind::Pass));
  series.steps.back().outcome = PassOutcome::Changed;
  TRY(PassSeries rest, runPart(constrained, preparing, all, request.fewestBytes, context));
  std::move(rest.steps.begin() + 1, rest.steps.end(), std::back_inserter(series.steps));
  return series;
}

Result<PassSeries> unpartitionedSeries(const PartitionRequest& asked, const JobContext& context) {
  if (!isUnpartitioned(*asked.module)) {
    return fail("not-sharded",
                fmt::format("{} has no shardings to be partitioned by, or was partitioned before",
                            asked.module->name()));
  }
  return partitionSeries(asked, context);
}

Result<PartitionedModule> partitionOnly(const PartitionRequest& request, const JobContext& context) {
  PartitionRequest asked = request;
  TRY(asked.module, forItsDevices(request));
  TRY(const PassSeries series, unpartitionedSeries(asked, context));
  TRY(auto local, series.steps.back().module());
  return PartitionedModule{.module = asked.module, .local = std::move(local)};
}

const SeriesStep* stepBeforePartitioning(const PassSeries& series) {
  for (size_t i = 1; i < series.steps.size(); ++i) {
    if (series.steps[i].name == kPartitioning) return &series.steps[i - 1];
  }
  return nullptr;
}

std::vector<const Remark*> remarksOf(const PassSeries& series, std::string_view pass) {
  std::vector<const Remark*> found;
  for (const SeriesStep& step : series.steps) {
    if (step.name != pass) continue;
    for (const Remark& remark : step.remarks) found.push_back(&remark);
  }
  return found;
}

}  // namespace hilo
