#include "core/workspace/schedule.h"

#include "core/analysis/cost/device_latency.h"
#include "core/analysis/cost/profile_latency.h"
#include "core/analysis/cost/uniform_latency.h"
#include "core/analysis/schedule/memory_usage.h"
#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/collectives/async_collective_creator.h"
#include "core/compiler/schedule/latency_hiding_scheduler.h"
#include "core/compiler/schedule/memory_scheduler.h"

namespace hilo {
namespace {

struct Preset {
  std::string_view name, summary;
  std::vector<std::pair<std::string_view, std::string_view>> settings;
};

const std::vector<Preset>& presets() {
  static const auto* all = new std::vector<Preset>{
#define PRESET(name, summary, ...) {name, summary, {__VA_ARGS__}},
#include "core/workspace/schedule_presets.def"
  };
  return *all;
}

Result<SchedulerConfig> configOf(const std::string& preset,
                                 const std::vector<std::pair<std::string, std::string>>& settings) {
  const auto found = std::ranges::find(presets(), preset, &Preset::name);
  if (found == presets().end()) {
    std::vector<std::string_view> names;
    for (const Preset& p : presets()) names.push_back(p.name);
    return fail("unknown-preset", fmt::format("no preset is called '{}'", preset), {},
                {fmt::format("there are: {}", fmt::join(names, ", "))});
  }
  SchedulerConfig config;
  for (const auto& [name, value] : found->settings) TRY_STATUS(setSchedulerOption(config, name, value));
  for (const auto& [name, value] : settings) TRY_STATUS(setSchedulerOption(config, name, value));
  return config;
}

// A device's estimator or the uniform one, under measured times if there are any. Instructions keep their ids
// in clones, but a device's figures belong to one module: make one for each.
class CostModel {
 public:
  static Result<CostModel> make(const Module& module, const ScheduleRequest& request,
                                SchedulerBackend backend) {
    CostModel model;
    if (request.device == "uniform") {
      if (backend == SchedulerBackend::Gpu) {
        model.base_ = std::make_unique<GpuUniformLatencyEstimator>();
      } else {
        model.base_ = std::make_unique<UniformLatencyEstimator>();
      }
    } else {
      TRY(DeviceDescription device, findDevice(request.device));
      model.base_ = std::make_unique<DeviceLatencyEstimator>(module, std::move(device));
    }
    if (!request.profileText.empty()) {
      TRY(LatencyProfile profile, parseLatencyProfile(request.profileText, request.profileName));
      model.measured_ = std::make_unique<ProfileLatencyEstimator>(std::move(profile), *model.base_);
    }
    return model;
  }
  const LatencyEstimator& estimator() const {
    return measured_ != nullptr ? static_cast<const LatencyEstimator&>(*measured_) : *base_;
  }

 private:
  std::unique_ptr<LatencyEstimator> base_, measured_;
};

Result<ScheduledModule> measured(std::shared_ptr<const Module> module, const LatencyEstimator& estimator,
                                 const SchedulerConfig& config) {
  ScheduledModule result{.module = module};
  TimelineOptions options;
  options.collectiveStreams =
      config.backend == SchedulerBackend::Gpu
          ? static_cast<int32_t>(std::min<int64_t>(config.parallelCollectiveOverlapLimit, 1000))
          : 0;
  auto timeline = std::make_shared<Timeline>(simulate(*module, estimator, options));
  TRY(const AliasAnalysis alias, AliasAnalysis::run(*module, aliasBackendOf(*module)));
  result.metrics.peakBytes = memoryUsage(ValueLiveRanges(alias)).peakBytes;
  if (!timeline->computations.empty()) {
    const ComputationTimeline& entry = timeline->entry();
    result.metrics.makespanNs = entry.durationNs;
    result.metrics.exposedNs = entry.exposedNs;
    result.metrics.communicationNs = entry.communicationNs;
    result.metrics.computeNs = entry.computeNs;
    const double perStream =
        options.collectiveStreams == 1 ? entry.communicationNs : 0;  // several streams share no bound
    result.metrics.boundNs = std::max({entry.criticalNs, entry.computeNs, perStream});
  }
  result.timeline = std::move(timeline);
  return result;
}

std::vector<ScheduleLogStep> readableLog(const Module& module, const std::vector<DecisionLog>& logs) {
  const auto name = [&](InstructionId id) { return std::string(module.instruction(id)->name()); };
  std::vector<ScheduleLogStep> steps;
  for (const DecisionLog& log : logs) {
    const Computation* computation = module.computation(log.computation);
    for (size_t i = 0; i < log.steps.size(); ++i) {
      ScheduleLogStep& step = steps.emplace_back();
      step.computation = computation->name();
      step.instruction = name(log.steps[i].scheduled);
      step.readyTime = log.steps[i].readyTime;
      step.memoryBytes = log.steps[i].memoryBytes;
      for (const ResourceCount& count : log.steps[i].inFlight)
        step.inFlight.emplace_back(resourceName(count.resource), count.count);
      for (const SchedulingDecision& decision : log.decisionsOf(i))
        step.comparisons.push_back(
            {name(decision.winner), name(decision.loser), std::string(reasonName(decision.reason))});
      for (const SkippedNode& skipped : log.skippedOf(i)) {
        step.skipped.emplace_back(name(skipped.instruction), skipped.reason == SkipReason::GroupNotReady
                                                                 ? "its scheduling group is not ready"
                                                                 : "it would exceed an overlap limit");
      }
    }
  }
  return steps;
}

// One try of the latency-hiding scheduler on a copy.
Result<ScheduledModule> attempt(const Module& base, const SchedulerConfig& config,
                                const LatencyEstimator& estimator, const ScheduleRequest& request,
                                const JobContext& context, ScheduleReport& report) {
  std::shared_ptr<Module> module = base.clone();
  LatencyHidingRequest hiding{.config = config, .estimator = &estimator, .keepLog = request.keepLog};
  hiding.cancel = context.cancel();
  TRY(const LatencyHidingResult result, scheduleToHideLatency(*module, hiding));
  report.reruns = result.reruns;
  if (request.keepLog) report.log = readableLog(*module, result.logs);
  return measured(std::move(module), estimator, config);
}

// The order before and several settings: the least exposed time, and then the shortest, of those that need at
// most 2% more memory than the order before.
Result<ScheduledModule> bestOf(const Module& base, SchedulerConfig config, const LatencyEstimator& estimator,
                               const ScheduleRequest& request, const JobContext& context,
                               ScheduleReport& report) {
  const int64_t mostBytes = report.original.metrics.peakBytes + report.original.metrics.peakBytes / 50;
  ScheduledModule best = report.original;
  std::vector<ScheduleLogStep> bestLog;
  constexpr double kLimits[] = {0, 1, 0.9, 0.75, 0.5};  // of the peak before; 0: none
  size_t tried = 0;
  for (const bool aggressive : {true, false}) {
    for (const double limit : kLimits) {
      context.progress(static_cast<double>(tried++) / 10, "scheduling");
      config.aggressiveSchedulingPolicies = aggressive;
      config.memoryLimit =
          limit == 0 ? UINT64_MAX
                     : static_cast<uint64_t>(limit * static_cast<double>(report.original.metrics.peakBytes));
      TRY(ScheduledModule next, attempt(base, config, estimator, request, context, report));
      const ScheduleMetrics &a = next.metrics, &b = best.metrics;
      if (a.peakBytes > mostBytes) continue;
      if (std::pair(a.exposedNs, a.makespanNs) >= std::pair(b.exposedNs, b.makespanNs)) continue;
      best = std::move(next);
      bestLog = report.log;
    }
  }
  report.log = std::move(bestLog);
  return best;
}

}  // namespace

std::vector<SchedulePreset> schedulePresets() {
  std::vector<SchedulePreset> list;
  for (const Preset& preset : presets())
    list.push_back({std::string(preset.name), std::string(preset.summary)});
  return list;
}

Result<std::vector<ScheduleOption>> scheduleOptions(const std::string& preset) {
  TRY(const SchedulerConfig config, configOf(preset, {}));
  std::vector<ScheduleOption> options;
  for (const SchedulerOptionInfo& option : schedulerOptions())
    options.push_back(
        {std::string(option.name), std::string(option.summary), schedulerOption(config, option.name)});
  return options;
}

Result<ScheduleReport> scheduleModule(const ScheduleRequest& request, const JobContext& context) {
  TRY(const SchedulerConfig config, configOf(request.preset, request.settings));
  ScheduleReport report{.preset = request.preset, .device = request.device};
  std::shared_ptr<Module> base = request.module->clone();
  if (request.asyncCollectives) {
    PassContext unseen(context.cancel());
    TRY_STATUS(createAsyncCollectives(*base, unseen));
  }
  report.originalIsMemoryOrder = !base->isScheduled();
  if (report.originalIsMemoryOrder)
    TRY_STATUS(scheduleForMemory(*base, MemorySchedulerKind::Best, context.cancel()));
  TRY(const CostModel model, CostModel::make(*base, request, config.backend));
  TRY(report.original, measured(base, model.estimator(), config));
  if (request.preset == "memory") {
    std::shared_ptr<Module> module = base->clone();
    TRY_STATUS(scheduleForMemory(*module, MemorySchedulerKind::Best, context.cancel()));
    TRY(report.scheduled, measured(std::move(module), model.estimator(), config));
  } else if (request.preset == "best") {
    TRY(report.scheduled, bestOf(*base, config, model.estimator(), request, context, report));
  } else {
    TRY(report.scheduled, attempt(*base, config, model.estimator(), request, context, report));
  }
  return report;
}

namespace {

std::string boundOf(const Instruction& instruction, const DeviceLatencyEstimator& device) {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  if (op.role == AsyncRole::Done || isGpuNop(instruction)) return "";
  if (isCollectiveCommunication(op.inner)) return "link";
  if (opcodeClass(instruction.opcode()) == OpcodeClass::ControlFlow) return "loop";
  const double ns = device.workNs(instruction);
  if (ns <= device.device().kernelNs) return "launch";
  const double memoryNs = static_cast<double>(device.facts().of(instruction).bytesAccessed) /
                          (device.device().memoryBandwidthGBps * device.device().memoryEfficiency);
  return ns > memoryNs * 1.0001 ? "compute" : "memory";
}

std::string noteOf(const Instruction& instruction, const DeviceLatencyEstimator& device) {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  if (op.role == AsyncRole::Done || !isCollectiveCommunication(op.inner)) return "";
  const CollectiveEstimate estimate = device.collective(instruction);
  return fmt::format("{} over {}, {}", collectiveAlgorithmName(estimate.algorithm), estimate.groupSize,
                     estimate.withinNode ? "within a node" : "between nodes");
}

}  // namespace

Result<CostReport> costOfModule(const Module& module, const std::string& deviceName,
                                const std::string& profileText, const std::string& profileName) {
  CostReport report{.device = deviceName};
  TRY(DeviceDescription description, findDevice(deviceName));
  const DeviceLatencyEstimator device(module, std::move(description));
  LatencyProfile profile;
  if (!profileText.empty()) {
    TRY(profile, parseLatencyProfile(profileText, profileName));
  }
  const ProfileLatencyEstimator measuredTimes(std::move(profile), device);
  const Timeline timeline = simulate(module, measuredTimes, {});
  absl::flat_hash_map<const Computation*, int64_t> times;
  if (!timeline.computations.empty()) times[timeline.entry().computation] = 1;
  // Callers come last.
  for (size_t i = timeline.computations.size(); i-- > 0;) {
    const ComputationTimeline& computation = timeline.computations[i];
    for (const TimelineEvent& event : computation.events) {
      if (event.kind != TimelineEventKind::Block) continue;
      for (const Computation* called : event.instruction->calledComputations())
        times[called] += times[computation.computation] * event.repeat;
    }
  }
  for (const ComputationTimeline& computation : timeline.computations) {
    for (const Instruction* instruction : computation.computation->instructions()) {
      const bool known = measuredTimes.knows(*instruction);
      const double ns = known ? measuredTimes.nodeCost(*instruction) : device.workNs(*instruction);
      if (ns <= 0) continue;
      const CostFacts& facts = device.facts().of(*instruction);
      CostRow row{.instruction = instruction, .ns = ns, .times = times[computation.computation]};
      row.totalNs = ns * static_cast<double>(row.times);
      row.flops = facts.flops;
      row.bytes = facts.bytesAccessed;
      row.bound = known ? "measured" : boundOf(*instruction, device);
      row.note = noteOf(*instruction, device);
      // What a loop runs has rows of its own.
      if (row.bound != "loop") report.totalNs += row.totalNs;
      report.rows.push_back(std::move(row));
    }
  }
  std::ranges::sort(report.rows, {},
                    [](const CostRow& row) { return std::pair(-row.totalNs, row.instruction->id().value); });
  return report;
}

}  // namespace hilo
