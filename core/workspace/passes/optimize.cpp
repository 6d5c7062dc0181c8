#include "core/workspace/passes/optimize.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/all_passes.h"
#include "core/compiler/passes/pass_list.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/passes/lowering_steps.h"
#include "core/workspace/run/engines.h"

namespace hilo {

std::span<const Pass> listPasses() { return allPasses(); }
std::span<const Pipeline> listPipelines() { return allPipelines(); }

Result<ConfiguredPass> configuredPass(std::string_view text) {
  TRY(auto passes, parsePassList(text));
  if (passes.size() != 1) return fail("bad-pass-list", fmt::format("'{}' is not one pass", text));
  return std::move(passes[0]);
}

namespace {

Result<std::vector<ConfiguredPass>> pipelineOf(const OptimizeRequest& request) {
  if (request.pipeline.empty()) return parsePassList(fmt::format("{}", fmt::join(request.passes, ",")));
  if (const Pipeline* pipeline = findPipeline(request.pipeline)) return pipeline->passes;
  std::vector<std::string_view> names;
  for (const Pipeline& pipeline : allPipelines()) names.push_back(pipeline.name);
  return fail("unknown-pipeline", fmt::format("no pipeline '{}'", request.pipeline), {},
              {fmt::format("there are: {}", fmt::join(names, ", "))});
}

Result<std::vector<ConfiguredPass>> passesOf(const OptimizeRequest& request) {
  TRY(auto passes, pipelineOf(request));
  TRY(const auto wanted, parsePassList(fmt::format("{}", fmt::join(request.settings, ","))));
  for (const ConfiguredPass& wish : wanted) {
    bool isRun = false;
    for (ConfiguredPass& configured : passes) {
      if (configured.pass != wish.pass) continue;
      isRun = true;
      for (const SettingChange& change : wish.settings) configured.set(change);
    }
    if (!isRun)
      return fail("pass-not-run", fmt::format("settings of {}, which does not run", wish.pass->name));
  }
  return passes;
}

Result<FuelByPass> fuelOf(const OptimizeRequest& request, const std::vector<ConfiguredPass>& passes) {
  TRY(FuelByPass fuel, parseFuel(fmt::format("{}", fmt::join(request.fuel, ","))));
  for (const auto& [name, rewrites] : fuel) {
    if (std::ranges::none_of(passes, [&](const ConfiguredPass& c) { return c.pass->name == name; }))
      return fail("pass-not-run", fmt::format("fuel of {}, which does not run", name));
  }
  return fuel;
}

SeriesStep seriesStep(PassStep step, std::string_view pipeline) {
  SeriesStep made = makeStep(std::move(step.pass), std::move(step.module), StepKind::Pass);
  made.pipeline = pipeline;
  made.outcome = step.outcome;
  made.asksNoFuel = step.asksNoFuel();
  made.settings = std::move(step.settings);
  made.durationNs = step.durationNs;
  made.remarks = std::move(step.remarks);
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

Result<std::vector<ConfiguredPass>> passesToRun(const OptimizeRequest& request) {
  TRY(auto passes, passesOf(request));
  std::erase_if(passes, [&](const ConfiguredPass& configured) {
    return std::ranges::find(request.disabled, configured.pass->name) != request.disabled.end();
  });
  return passes;
}

Result<PassSeries> optimize(const OptimizeRequest& request, const JobContext& context) {
  TRY(const auto passes, passesOf(request));
  TRY_STATUS(requireVerified(*request.module));
  PassRunOptions options;
  TRY(options.fuel, fuelOf(request, passes));
  options.cancel = context.cancel();
  options.disabled = request.disabled;
  options.verify = request.verify;
  options.progress = [&](size_t step, size_t count, std::string_view pass) {
    context.progress(count == 0 ? 0 : static_cast<double>(step) / static_cast<double>(count),
                     std::string(pass));
  };
  options.tellSlow = [&](const std::string& text) { context.progress(-1, text); };
  PassRun run = runPasses(request.module, passes, options);
  if (!run.completed() && !run.steps.empty()) return stopped(run.steps.back());
  PassSeries series{.title = std::string(request.module->name()), .sharedIds = true};
  series.steps.push_back(makeStep("input", request.module));
  const Pipeline* pipeline = findPipeline(request.pipeline);
  for (size_t i = 0; i < run.steps.size(); ++i) {
    const std::string_view phase = pipeline == nullptr ? "" : pipeline->phaseOf(i);
    series.steps.push_back(seriesStep(std::move(run.steps[i]), phase.empty() ? request.pipeline : phase));
  }
  if (request.lowers && pipeline != nullptr && pipeline->isLowered) {
    const Engine* engine = engineOfPipeline(pipeline->name);
    CHECK(engine != nullptr, pipeline->name);
    TRY(auto output, series.steps.back().module());
    TRY(auto lowered, lowerInSteps(*engine->compiler, std::move(output), context));
    std::ranges::move(lowered, std::back_inserter(series.steps));
  }
  // Without snapshots the last step alone stands for all.
  if (!request.snapshots && series.steps.size() > 2)
    series.steps.erase(series.steps.begin() + 1, series.steps.end() - 1);
  return series;
}

}  // namespace hilo
