#include "core/workspace/schedule/schedule_study.h"

#include "core/analysis/backend.h"
#include "core/analysis/cost/uniform_latency.h"
#include "core/analysis/unpartitioned.h"
#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/collectives/async_collective_creator.h"
#include "core/compiler/passes/memory/flatten_call_graph.h"
#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"
#include "core/compiler/schedule/gpu_memory_limit.h"
#include "core/compiler/schedule/latency_hiding_scheduler.h"
#include "core/compiler/schedule/memory_scheduler.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/schedule/schedule_costs.h"
#include "core/workspace/schedule/schedule_edits.h"

namespace hilo {

using Settings = std::vector<std::pair<std::string, std::string>>;

// An order with what was found out while making it; before moves.
struct ScheduleStudy::Ordered {
  std::shared_ptr<const Module> module;
  Settings settings;
  std::vector<ScheduleFault> faults;
  std::vector<std::string> notes;
  int64_t reruns = 0;
  std::shared_ptr<const ScheduleDecisions> decisions;
};

// What the latest scenarios had in common, so that the next edit costs no more than itself.
struct ScheduleStudy::Cache {
  std::mutex mutex;
  std::map<std::pair<std::string, bool>, std::shared_ptr<const LatencyEstimator>> estimators;
  static constexpr size_t kOrders = 4;
  std::vector<std::pair<ScheduleScenario, Ordered>> orders;  // scenarios without names and moves
};

namespace {

ScheduleScenario withoutMoves(ScheduleScenario scenario) {
  scenario.name.clear();
  scenario.moves.clear();
  return scenario;
}

TimelineOptions timelineOptions(const SchedulerConfig& config) {
  const bool gpu = config.backend == Backend::Gpu;
  return {.collectiveStreams =
              gpu ? static_cast<int32_t>(std::min<int64_t>(config.parallelCollectiveOverlapLimit, 1000)) : 0};
}

struct Measured {
  std::shared_ptr<Timeline> timeline;
  ScheduleMetrics metrics;
};

Measured measureTime(const Module& module, const LatencyEstimator& estimator, const SchedulerConfig& config) {
  const TimelineOptions options = timelineOptions(config);
  Measured result{std::make_shared<Timeline>(simulate(module, estimator, options)), {}};
  if (result.timeline->computations.empty()) return result;
  const ComputationTimeline& entry = result.timeline->entry();
  result.metrics = {.makespanNs = entry.durationNs,
                    .exposedNs = entry.exposedNs,
                    .communicationNs = entry.communicationNs,
                    .computeNs = entry.computeNs,
                    .boundNs = entry.boundNs};
  return result;
}

Result<int64_t> peakOf(const Module& module) {
  TRY(const AliasAnalysis alias, AliasAnalysis::run(module, backendOf(module)));
  return memoryUsage(ValueLiveRanges(alias)).peakBytes;
}

}  // namespace

ScheduleStudy::ScheduleStudy() : cache_(std::make_unique<Cache>()) {}
ScheduleStudy::~ScheduleStudy() = default;

Result<std::shared_ptr<const ScheduleStudy>> ScheduleStudy::open(std::shared_ptr<const Module> module,
                                                                 bool asyncCollectives,
                                                                 const JobContext& context,
                                                                 std::vector<ScheduleFault> faults) {
  TRY_STATUS(requireVerified(*module));
  std::shared_ptr<ScheduleStudy> study(new ScheduleStudy);
  TRY(const auto flat, withFlatCalls(module, context.cancel()));
  if (flat != module) study->notes_.emplace_back(kCallsFlattened);
  if (isUnpartitioned(*module)) study->notes_.push_back(unpartitionedText(*module));
  for (uint32_t id = module->idLimit(); id < flat->idLimit(); ++id) {
    const Provenance* made = flat->provenance(InstructionId{id});
    if (made != nullptr && !made->from.empty()) study->originalOf_[InstructionId{id}] = made->from[0];
  }
  std::shared_ptr<Module> base = flat->clone();
  if (asyncCollectives) {
    PassContext pass(context.cancel());
    base->beginPass("async-collective-creator");
    TRY_STATUS(createAsyncCollectives(*base, pass));
    base->endPass();
    for (uint32_t id = flat->idLimit(); id < base->idLimit(); ++id) {
      const Instruction* done = base->instruction(InstructionId{id});
      const Provenance* made = done == nullptr ? nullptr : base->provenance(done->id());
      const Instruction* start = made == nullptr || made->from.empty() ? nullptr : startOfDone(*done);
      if (start == nullptr || base->instruction(made->from[0]) != nullptr) continue;
      study->originalOf_[done->id()] = made->from[0];
      study->originalOf_[start->id()] = made->from[0];
      study->startOf_[made->from[0]] = start->id();
    }
  }
  study->madeOrder_ = !base->isScheduled();
  if (study->madeOrder_) TRY_STATUS(scheduleForMemory(*base, MemorySchedulerKind::Best, context.cancel()));
  study->base_ = std::move(base);
  study->faults_ = std::move(faults);
  for (ScheduleFault& fault : study->faults_) fault.instruction = study->studied(fault.instruction);
  return study;
}

InstructionId ScheduleStudy::studied(InstructionId ofModule) const {
  const auto found = startOf_.find(ofModule);
  return found == startOf_.end() ? ofModule : found->second;
}

InstructionId ScheduleStudy::ofModule(InstructionId studied) const {
  // The done of a copy stands for the copied collective, and that for the one it was copied from.
  for (auto found = originalOf_.find(studied); found != originalOf_.end(); found = originalOf_.find(studied))
    studied = found->second;
  return studied;
}

Result<std::shared_ptr<const ScheduleStudy::CostModel>> ScheduleStudy::costModel(
    const ScheduleScenario& scenario) const {
  TRY(const Settings settings, settingsOf(scenario));
  TRY(const SchedulerConfig config, configOf(settings));
  auto model = std::make_shared<CostModel>();
  const bool gpu = config.backend == Backend::Gpu;
  {
    const std::lock_guard lock(cache_->mutex);
    model->base = cache_->estimators[{scenario.device, gpu}];
  }
  if (model->base == nullptr) {
    if (scenario.device == "uniform" && gpu) {
      model->base = std::make_shared<GpuUniformLatencyEstimator>();
    } else if (scenario.device == "uniform") {
      model->base = std::make_shared<UniformLatencyEstimator>();
    } else {
      TRY(DeviceDescription device, findDevice(scenario.device));
      model->base = std::make_shared<DeviceLatencyEstimator>(*base_, std::move(device));
    }
    const std::lock_guard lock(cache_->mutex);
    cache_->estimators[{scenario.device, gpu}] = model->base;
  }
  LatencyProfile profile;
  if (!scenario.profileText.empty()) {
    TRY(profile, parseLatencyProfile(scenario.profileText, scenario.profileName));
  }
  for (const auto& [name, us] : scenario.latenciesUs) profile.costUs[name] = us;
  if (!profile.costUs.empty() || !profile.latencyUs.empty())
    model->measured = std::make_unique<ProfileLatencyEstimator>(std::move(profile), *model->base);
  return model;
}

// What XLA's GPU backend does before its scheduler: scheduling groups become ones it can take, and the memory
// of the device sets the limit, unless a setting does. "uniform" is no device.
Status ScheduleStudy::prepareForGpu(const ScheduleScenario& scenario, const JobContext& context,
                                    Module& module, Ordered& ordered) {
  PassContext pass(context.cancel());
  TRY_STATUS(legalizeSchedulingAnnotationsForGpu(module, pass));
  for (const std::string_view kind : {"dropped", "added"}) {
    const auto of = [&](const Remark& remark) { return remark.kind == kind; };
    const auto count = std::ranges::count_if(pass.remarks(), of);
    if (count == 0) continue;
    const Remark& first = *std::ranges::find_if(pass.remarks(), of);
    ordered.notes.push_back(
        fmt::format("scheduling groups: {} {}; %{}: {}", count, kind, first.name, first.message));
  }
  const bool isSet =
      std::ranges::any_of(ordered.settings, [](const auto& set) { return set.first == "memory_limit"; });
  if (isSet || scenario.device == "uniform") return {};
  TRY(const DeviceDescription device, findDevice(scenario.device));
  const int64_t limit = gpuSchedulerMemoryLimit(module, device.memoryBytes);
  ordered.settings.emplace_back("memory_limit", std::to_string(limit));
  if (limit == 0) {
    ordered.notes.push_back(fmt::format(
        "parameters and results do not fit {}: as in XLA the order then keeps as little as it can",
        scenario.device));
  }
  return {};
}

Result<ScheduleStudy::Ordered> ScheduleStudy::order(const ScheduleScenario& scenario, const CostModel& model,
                                                    const JobContext& context,
                                                    const ScheduleWatch& watch) const {
  Ordered result;
  TRY(result.settings, settingsOf(scenario));
  TRY(SchedulerConfig config, configOf(result.settings));
  if (scenario.order.empty() && scenario.preset == "original" && scenario.pins.empty()) {
    result.module = base_;
    result.faults = faults_;
    return result;
  }
  if (scenario.order.empty() && scenario.preset == "best") return bestOf(scenario, model, context, watch);
  std::shared_ptr<Module> module = base_->clone();
  if (!scenario.order.empty()) {
    for (OrderFault& fault : applyOrder(*module, scenario.order, result.notes)) {
      result.faults.push_back({fault.instruction == nullptr ? InstructionId{} : fault.instruction->id(),
                               std::move(fault.message)});
    }
    result.module = std::move(module);
    return result;
  }
  if (scenario.preset != "memory" && scenario.preset != "original" && config.backend == Backend::Gpu) {
    TRY_STATUS(prepareForGpu(scenario, context, *module, result));
    TRY(config, configOf(result.settings));
  }
  PinnedOrder pinned(*module, scenario.pins, result.notes);
  if (scenario.preset == "memory") {
    TRY_STATUS(scheduleForMemory(*module, MemorySchedulerKind::Best, context.cancel()));
  } else if (scenario.preset != "original") {
    LatencyHidingRequest hiding{.config = config,
                                .estimator = &model.estimator(),
                                .keepLog = watch.all || !watch.instructions.empty()};
    hiding.watched = watch.all ? absl::flat_hash_set<InstructionId>() : watch.instructions;
    hiding.cancel = context.cancel();
    TRY(LatencyHidingResult hidden, scheduleToHideLatency(*module, hiding));
    result.reruns = hidden.reruns;
    if (hiding.keepLog)
      result.decisions = std::make_shared<const ScheduleDecisions>(ScheduleDecisions{std::move(hidden.logs)});
  }
  pinned.removePins();
  result.module = std::move(module);
  return result;
}

// The order before and several settings: the least exposed time, and then the shortest, of those that need at
// most 2% more memory than the order before.
Result<ScheduleStudy::Ordered> ScheduleStudy::bestOf(const ScheduleScenario& scenario, const CostModel& model,
                                                     const JobContext& context,
                                                     const ScheduleWatch& watch) const {
  Ordered best;
  TRY(best.settings, settingsOf(scenario));
  best.module = base_;
  TRY(const SchedulerConfig before, configOf(best.settings));
  TRY(const int64_t peakBefore, peakOf(*base_));
  ScheduleMetrics least = measureTime(*base_, model.estimator(), before).metrics;
  constexpr double kLimits[] = {0, 1, 0.9, 0.75, 0.5};  // of the peak before; 0: none
  size_t tried = 0;
  for (const char* aggressive : {"true", "false"}) {
    for (const double limit : kLimits) {
      context.progress(static_cast<double>(tried++) / 10, "scheduling");
      ScheduleScenario next = scenario;
      next.preset = "gpu";
      next.set("aggressive_scheduling_policies", aggressive);
      if (limit > 0)
        next.set("memory_limit",
                 std::to_string(static_cast<uint64_t>(limit * static_cast<double>(peakBefore))));
      TRY(Ordered ordered, order(next, model, context, watch));
      TRY(const int64_t peak, peakOf(*ordered.module));
      if (peak > peakBefore + peakBefore / 50) continue;
      TRY(const SchedulerConfig config, configOf(ordered.settings));
      const ScheduleMetrics metrics = measureTime(*ordered.module, model.estimator(), config).metrics;
      if (std::pair(metrics.exposedNs, metrics.makespanNs) >= std::pair(least.exposedNs, least.makespanNs))
        continue;
      least = metrics;
      best = std::move(ordered);
    }
  }
  return best;
}

Result<ScheduleStudy::Ordered> ScheduleStudy::orderCached(const ScheduleScenario& scenario,
                                                          const CostModel& model, const JobContext& context,
                                                          const ScheduleWatch& watch) const {
  if (watch.all || !watch.instructions.empty()) return order(scenario, model, context, watch);
  const ScheduleScenario key = withoutMoves(scenario);
  {
    const std::lock_guard lock(cache_->mutex);
    for (const auto& [known, ordered] : cache_->orders) {
      if (known == key) return ordered;
    }
  }
  TRY(Ordered ordered, order(scenario, model, context, watch));
  const std::lock_guard lock(cache_->mutex);
  if (cache_->orders.size() == Cache::kOrders) cache_->orders.erase(cache_->orders.begin());
  cache_->orders.emplace_back(key, ordered);
  return ordered;
}

Result<ScheduleOutcome> ScheduleStudy::run(const ScheduleScenario& scenario, const JobContext& context,
                                           const ScheduleWatch& watch) const {
  TRY(const auto model, costModel(scenario));
  TRY(Ordered ordered, orderCached(scenario, *model, context, watch));
  ScheduleOutcome outcome{.scenario = scenario,
                          .settings = std::move(ordered.settings),
                          .module = std::move(ordered.module),
                          .faults = std::move(ordered.faults),
                          .notes = notes_,
                          .reruns = ordered.reruns,
                          .decisions = std::move(ordered.decisions)};
  std::ranges::move(ordered.notes, std::back_inserter(outcome.notes));
  if (!scenario.moves.empty()) {
    std::shared_ptr<Module> moved = outcome.module->clone();
    for (const ScheduleMove& move : scenario.moves) applyMove(*moved, move, outcome.notes);
    outcome.module = std::move(moved);
  }
  if (context.cancelled()) return cancelledError();
  TRY(const SchedulerConfig config, configOf(outcome.settings));
  Measured measured = measureTime(*outcome.module, model->estimator(), config);
  outcome.timeline = measured.timeline;
  outcome.metrics = measured.metrics;
  const auto drawn = [&](const ValueLiveRanges* ranges, const MemoryUsage* memory) {
    return std::make_shared<const ScheduleChart>(
        makeScheduleChart(*outcome.module, *outcome.timeline, ranges, memory));
  };
  if (!outcome.faults.empty()) {
    if (watch.chart) outcome.chart = drawn(nullptr, nullptr);
    return outcome;
  }
  TRY(const AliasAnalysis alias, AliasAnalysis::run(*outcome.module, backendOf(*outcome.module)));
  const ValueLiveRanges ranges(alias);
  const MemoryUsage memory = memoryUsage(ranges);
  outcome.metrics.peakBytes = memory.peakBytes;
  if (watch.chart) outcome.chart = drawn(&ranges, &memory);
  return outcome;
}

}  // namespace hilo
