#include "core/workspace/passes/optimize.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/all_passes.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/workspace/passes/lowering_steps.h"

namespace hilo {

std::vector<PassInfo> listPasses() {
  std::vector<PassInfo> passes;
  for (const Pass& pass : allPasses()) passes.push_back({std::string(pass.name), std::string(pass.summary)});
  return passes;
}

std::vector<PipelineInfo> listPipelines() {
  std::vector<PipelineInfo> pipelines;
  for (const Pipeline& pipeline : allPipelines()) {
    PipelineInfo info{.name = std::string(pipeline.name), .summary = std::string(pipeline.summary)};
    for (const Pass* pass : pipeline.passes) info.passes.emplace_back(pass->name);
    for (const PipelinePhase& phase : pipeline.phases) {
      const auto first = info.passes.begin() + static_cast<ptrdiff_t>(phase.first);
      info.phases.push_back({std::string(phase.name), {first, first + static_cast<ptrdiff_t>(phase.count)}});
    }
    for (const LoweringStep& step : loweringSteps()) {
      if (pipeline.isLowered) info.lowering.push_back({std::string(step.name), std::string(step.summary)});
    }
    pipelines.push_back(std::move(info));
  }
  return pipelines;
}

namespace {

Result<std::vector<const Pass*>> passesOf(const OptimizeRequest& request) {
  if (request.pipeline.empty()) return parsePassList(fmt::format("{}", fmt::join(request.passes, ",")));
  if (const Pipeline* pipeline = findPipeline(request.pipeline)) return pipeline->passes;
  std::vector<std::string_view> names;
  for (const Pipeline& pipeline : allPipelines()) names.push_back(pipeline.name);
  return fail("unknown-pipeline", fmt::format("no pipeline '{}'", request.pipeline), {},
              {fmt::format("there are: {}", fmt::join(names, ", "))});
}

SeriesStep seriesStep(const PassStep& step, std::string_view pipeline) {
  SeriesStep made = makeStep(step.pass, step.module);
  made.pipeline = pipeline;
  made.changed = step.outcome == PassOutcome::Changed;
  made.changedKnown = true;
  made.skipped = step.outcome == PassOutcome::Disabled || step.outcome == PassOutcome::Cancelled;
  made.durationNs = step.durationNs;
  for (const Remark& remark : step.remarks) {
    made.remarks.push_back({remark.instruction, remark.name, remark.kind, remark.message});
  }
  return made;
}

// The step that ended the run early, as an error.
Result<PassSeries> stopped(const PassStep& step) {
  if (step.outcome == PassOutcome::Cancelled) return fail("cancelled", "cancelled");
  std::vector<std::string> notes;
  for (const Diagnostic& problem : step.problems) notes.push_back(toString(problem));
  return fail("pass-failed", fmt::format("pass {} failed", step.pass), {}, std::move(notes));
}

}  // namespace

Result<PassSeries> optimize(const OptimizeRequest& request, const JobContext& context) {
  TRY(const auto passes, passesOf(request));
  PassRunOptions options;
  options.cancel = context.cancel();
  options.disabled = request.disabled;
  options.verify = request.verify;
  options.progress = [&](size_t step, size_t count, std::string_view pass) {
    context.progress(count == 0 ? 0 : static_cast<double>(step) / static_cast<double>(count),
                     std::string(pass));
  };
  options.tellSlow = [&](const std::string& text) { context.progress(-1, text); };
  const PassRun run = runPasses(request.module, passes, options);
  if (!run.completed() && !run.steps.empty()) return stopped(run.steps.back());
  PassSeries series{.title = std::string(request.module->name()), .sharedIds = true};
  series.steps.push_back(makeStep("input", request.module));
  const Pipeline* pipeline = findPipeline(request.pipeline);
  for (size_t i = 0; i < run.steps.size(); ++i) {
    const std::string_view phase = pipeline == nullptr ? "" : pipeline->phaseOf(i);
    series.steps.push_back(seriesStep(run.steps[i], phase.empty() ? request.pipeline : phase));
  }
  if (request.lowers && pipeline != nullptr && pipeline->isLowered) {
    TRY(auto lowered, lowerInSteps(run.output(), context));
    std::ranges::move(lowered, std::back_inserter(series.steps));
  }
  // Without snapshots the last step alone stands for all.
  if (!request.snapshots && series.steps.size() > 2)
    series.steps.erase(series.steps.begin() + 1, series.steps.end() - 1);
  return series;
}

}  // namespace hilo
