#include "core/workspace/schedule/schedule.h"

#include "core/analysis/cost/uniform_latency.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/schedule/schedule_costs.h"

namespace hilo {

using Settings = std::vector<std::pair<std::string, std::string>>;

namespace {

struct Preset {
  std::string_view name, summary;
  std::vector<std::pair<std::string_view, std::string_view>> settings;
};

const std::vector<Preset>& presets() {
  static const auto* all = new std::vector<Preset>{
#define PRESET(name, summary, ...) {name, summary, {__VA_ARGS__}},
#include "core/workspace/schedule/schedule_presets.def"
  };
  return *all;
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

}  // namespace

Result<Settings> settingsOf(const ScheduleScenario& scenario) {
  const auto found = std::ranges::find(presets(), scenario.preset, &Preset::name);
  if (found == presets().end()) {
    std::vector<std::string_view> names;
    for (const Preset& preset : presets()) names.push_back(preset.name);
    return fail("unknown-preset", fmt::format("no preset is called '{}'", scenario.preset), {},
                {fmt::format("there are: {}", fmt::join(names, ", "))});
  }
  Settings settings;
  for (const auto& [name, value] : found->settings) settings.emplace_back(name, value);
  settings.insert(settings.end(), scenario.settings.begin(), scenario.settings.end());
  return settings;
}

Result<SchedulerConfig> configOf(const Settings& settings) {
  SchedulerConfig config;
  for (const auto& [name, value] : settings) TRY_STATUS(setSchedulerOption(config, name, value));
  return config;
}

std::vector<SchedulePreset> schedulePresets() {
  std::vector<SchedulePreset> list;
  for (const Preset& preset : presets())
    list.push_back({std::string(preset.name), std::string(preset.summary)});
  return list;
}

Result<std::vector<ScheduleOption>> scheduleOptions(const ScheduleScenario& scenario) {
  TRY(const Settings settings, settingsOf(scenario));
  TRY(const SchedulerConfig config, configOf(settings));
  std::vector<ScheduleOption> options;
  for (const PassSetting& setting : schedulerSettings()) {
    options.push_back({std::string(setting.name), std::string(setting.summary),
                       settingText(setting.read(setting, &config))});
  }
  return options;
}

Result<ScheduleReport> scheduleModule(const ScheduleRequest& request, const JobContext& context) {
  ScheduleReport report{.preset = request.scenario.preset, .device = request.scenario.device};
  TRY(const Settings settings, settingsOf(request.scenario));
  TRY_STATUS(configOf(settings));
  TRY(report.study, ScheduleStudy::open(request.module, request.asyncCollectives, context));
  report.originalIsMemoryOrder = report.study->madeOrder();
  // The order before, under the same rules for streams.
  ScheduleScenario before = request.scenario;
  before.preset = "original";
  before.settings = settings;
  before.order.clear();
  before.pins.clear();
  before.moves.clear();
  TRY(report.original, report.study->run(before, context, {.instructions = {}, .chart = request.charts}));
  TRY(report.scheduled,
      report.study->run(request.scenario, context,
                        {.all = request.keepLog, .instructions = {}, .chart = request.charts}));
  report.reruns = report.scheduled.reruns;
  if (report.scheduled.decisions != nullptr)
    report.log = readableLog(*report.scheduled.module, report.scheduled.decisions->logs);
  return report;
}

namespace {

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
  TRY_STATUS(requireVerified(module));
  report.notes = description.notes;
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
      const double estimated = device.workNs(*instruction);
      const double ns = known ? measuredTimes.nodeCost(*instruction) : estimated;
      if (ns <= 0) continue;
      const CostFacts& facts = device.facts().of(*instruction);
      CostRow row{.instruction = instruction,
                  .ns = ns,
                  .estimatedNs = estimated,
                  .times = times[computation.computation]};
      row.totalNs = ns * static_cast<double>(row.times);
      row.flops = facts.flops;
      row.bytes = facts.bytesAccessed;
      row.bound = known ? "measured" : std::string(boundOf(*instruction, device));
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

Result<DeviceFit> fittedDevice(const Module& module, const std::string& deviceName,
                               const std::string& profileText, const std::string& profileName) {
  TRY(const DeviceDescription description, findDevice(deviceName));
  TRY_STATUS(requireVerified(module));
  TRY(const LatencyProfile profile, parseLatencyProfile(profileText, profileName));
  return fitDevice(module, description, profile);
}

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const BuiltInDevice& device : builtInDevices()) names.emplace_back(device.id);
  return names;
}

}  // namespace hilo
