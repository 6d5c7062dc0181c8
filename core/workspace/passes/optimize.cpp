#include "core/workspace/passes/optimize.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/sharding_devices.h"
#include "core/base/check.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/compiler/pipelines/gpu_pipeline.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/passes/lowering_steps.h"
#include "core/workspace/passes/stage_apart.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/gpu_rates.h"

namespace hilo {

std::span<const Pass> listPasses() { return allPasses(); }
std::span<const Pipeline> listPipelines() { return allPipelines(); }

Result<ConfiguredPass> configuredPass(std::string_view text) {
  TRY(auto passes, parsePassList(text));
  if (passes.size() != 1) return fail("bad-pass-list", fmt::format("'{}' is not one pass", text));
  return std::move(passes[0]);
}

namespace {

constexpr std::string_view kCudaPipeline = "cuda";  // of the engines cuda and cuda-sim

// What the header says, or else the shardings.
int64_t partitionsOf(const Module& module) {
  return module.get<Attr::NumPartitions>() ? module.partitionCount() : shardingDevices(module);
}

// With its number of partitions in the header, so that passes see it.
std::shared_ptr<const Module> withPartitions(const OptimizeRequest& request,
                                             std::vector<std::string>& notes) {
  const int64_t partitions = partitionsOf(*request.module);
  if (request.pipeline != kGpuPipeline || partitions == request.module->partitionCount())
    return request.module;
  notes.push_back(fmt::format("no number of partitions is stated; the shardings are for {}", partitions));
  std::shared_ptr<Module> made = request.module->clone();
  made->set<Attr::NumPartitions>(partitions);
  return made;
}

Result<Pipeline> gpuPipelineOf(const OptimizeRequest& request, std::vector<std::string>& notes) {
  GpuCompile compile = defaultGpuCompile();
  TRY(compile.flags, XlaFlags::parse(request.xlaFlags));
  if (!request.target.empty()) {
    TRY(compile.device, findDevice(request.target));
  }
  if (!request.xlaDate.empty()) {
    TRY(compile.date, XlaDate::parse(request.xlaDate));
  }
  if (request.module != nullptr) compile.partitions = partitionsOf(*request.module);
  notes = compile.flags.notes();
  Pipeline pipeline = gpuPipeline(compile);
  if (const auto absent = absentPasses(pipeline); !absent.empty())
    notes.push_back(
        fmt::format("{} of XLA's passes are not there: {}", absent.size(), fmt::join(absent, ", ")));
  return pipeline;
}

// What runs: a pipeline, or the passes of the request as one.
Result<Pipeline> pipelineOf(const OptimizeRequest& request, std::vector<std::string>& notes) {
  if (request.pipeline == kGpuPipeline) return gpuPipelineOf(request, notes);
  const bool isForTarget = request.target.empty() || request.pipeline == kCudaPipeline;
  if (!request.xlaFlags.empty() || !isForTarget || !request.xlaDate.empty())
    return fail(
        "not-gpu",
        "XLA's flags and its date choose the passes of the pipeline gpu, and of no other; a target those "
        "of gpu and cuda");
  if (request.pipeline.empty()) {
    TRY(auto passes, parsePassList(fmt::format("{}", fmt::join(request.passes, ","))));
    return Pipeline{.name = "", .summary = "", .passes = std::move(passes), .phases = {}};
  }
  if (const Pipeline* pipeline = findPipeline(request.pipeline)) return *pipeline;
  std::vector<std::string_view> names;
  for (const Pipeline& pipeline : allPipelines()) names.push_back(pipeline.name);
  return fail("unknown-pipeline", fmt::format("no pipeline '{}'", request.pipeline), {},
              {fmt::format("there are: {}", fmt::join(names, ", "))});
}

// Of the pipeline cuda: its passes with the rates of the GPU, before those of the request.
Result<std::vector<ConfiguredPass>> settingsOf(const OptimizeRequest& request) {
  std::vector<std::string> settings = request.settings;
  if (request.pipeline == kCudaPipeline && !request.target.empty()) {
    TRY(const GpuTarget target, findGpuTarget(request.target));
    settings.insert(settings.begin(), passesWithRates(ratesOf(target)));
  }
  return parsePassList(fmt::format("{}", fmt::join(settings, ",")));
}

Result<Pipeline> configuredPipeline(const OptimizeRequest& request, std::vector<std::string>& notes) {
  TRY(Pipeline pipeline, pipelineOf(request, notes));
  TRY(const auto wanted, settingsOf(request));
  for (const ConfiguredPass& wish : wanted) {
    bool isRun = false;
    for (ConfiguredPass& configured : pipeline.passes) {
      if (configured.pass != wish.pass) continue;
      isRun = true;
      for (const SettingChange& change : wish.settings) configured.set(change);
    }
    if (!isRun)
      return fail("pass-not-run", fmt::format("settings of {}, which does not run", wish.pass->name));
  }
  return pipeline;
}

Result<FuelByPass> fuelOf(const OptimizeRequest& request, const std::vector<ConfiguredPass>& passes) {
  std::vector<std::string> asked = request.fuel;
  TRY(const XlaFlags flags, XlaFlags::parse(request.xlaFlags));
  if (const std::string_view fuel = flags.text("xla_fuel"); !fuel.empty()) asked.emplace_back(fuel);
  TRY(FuelByPass fuel, parseFuel(fmt::format("{}", fmt::join(asked, ","))));
  for (const auto& [name, rewrites] : fuel) {
    const auto isOf = [&](const ConfiguredPass& c) { return c.pass->name == name || c.name() == name; };
    if (std::ranges::none_of(passes, isOf))
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
  std::vector<std::string> notes;
  TRY(const Pipeline pipeline, configuredPipeline(request, notes));
  std::vector<ConfiguredPass> passes;
  const auto add = [&](const ConfiguredPass& configured) {
    const auto isOf = [&](const std::string& name) {
      return name == configured.name() || name == configured.pass->name;
    };
    if (configured.pass->isThere() && std::ranges::none_of(request.disabled, isOf))
      passes.push_back(configured);
  };
  for (size_t i = 0; i < pipeline.passes.size();) {
    const auto loop = std::ranges::find(pipeline.fixpoints, i, &Fixpoint::first);
    const bool repeats = loop != pipeline.fixpoints.end();
    const size_t count = repeats ? loop->count : 1;
    for (int round = 0; round < (repeats ? kUnrolledRounds : 1); ++round) {
      for (size_t k = i; k < i + count; ++k) add(pipeline.passes[k]);
    }
    i += count;
  }
  return passes;
}

Result<PassSeries> optimize(const OptimizeRequest& request, const JobContext& context) {
  if (isEngineApart(request.pipeline)) return stageApart(request, context);
  std::vector<std::string> notes;
  TRY(const Pipeline pipeline, configuredPipeline(request, notes));
  TRY_STATUS(requireVerified(*request.module));
  PassRunOptions options{.fixpoints = pipeline.fixpoints};
  TRY(options.fuel, fuelOf(request, pipeline.passes));
  options.cancel = context.cancel();
  options.disabled = request.disabled;
  options.verify = request.verify;
  options.progress = [&](size_t step, size_t count, std::string_view pass) {
    context.progress(count == 0 ? 0 : static_cast<double>(step) / static_cast<double>(count),
                     std::string(pass));
  };
  options.tellSlow = [&](const std::string& text) { context.progress(-1, text); };
  const std::shared_ptr<const Module> module = withPartitions(request, notes);
  PassRun run = runPasses(module, pipeline.passes, options);
  if (!run.completed() && !run.steps.empty()) return stopped(run.steps.back());
  PassSeries series{
      .title = std::string(request.module->name()), .sharedIds = true, .notes = std::move(notes)};
  series.steps.push_back(makeStep("input", module));
  for (PassStep& step : run.steps) {
    const std::string_view phase = pipeline.phaseOf(step.place);
    series.steps.push_back(seriesStep(std::move(step), phase.empty() ? request.pipeline : phase));
  }
  if (request.lowers && pipeline.isLowered) {
    const Engine* engine = engineOfPipeline(pipeline.name);
    CHECK(engine != nullptr, pipeline.name);
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
