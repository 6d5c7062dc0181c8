#include "core/compiler/schedule/latency_hiding_scheduler.h"

#include "core/analysis/backend.h"
#include "core/analysis/call_graph.h"
#include "core/analysis/cost/uniform_latency.h"
#include "core/compiler/schedule/computation_scheduler.h"

namespace hilo {
namespace {

bool isFused(const Computation& computation, const CallGraph& graph) {
  return std::ranges::any_of(graph.node(computation).callers,
                             [](const Instruction* caller) { return caller->opcode() == Opcode::Fusion; });
}

bool isForceDelayed(const Instruction& instruction) {
  const bool kind = instruction.opcode() == Opcode::CustomCall ||
                    instruction.opcode() == Opcode::AsyncStart || instruction.opcode() == Opcode::AsyncDone;
  return kind && hasFrontendAttribute(instruction, "scheduler_hint", "force_delay");
}

class ModuleScheduler {
 public:
  ModuleScheduler(Module& module, const LatencyHidingRequest& request, const LatencyEstimator& estimator,
                  AsyncTracker& tracker, const AliasAnalysis& alias)
      : module_(module),
        request_(request),
        config_(request.config),
        estimator_(estimator),
        tracker_(tracker),
        alias_(alias) {
    for (Computation* computation : alias.dataflow().callGraph().postOrder()) {
      if (isFused(*computation, alias.dataflow().callGraph())) continue;
      const auto hasOpportunity = [&](const Instruction* i) {
        return tracker_.isSupportedAsyncStart(*i) || tracker_.isSupportedAsyncDone(*i) || isForceDelayed(*i);
      };
      if (request.everyComputation || std::ranges::any_of(computation->instructions(), hasOpportunity))
        todo_.push_back(computation);
    }
  }

  Result<LatencyHidingResult> run() {
    if (todo_.empty()) return LatencyHidingResult{.memoryLimit = config_.memoryLimit};
    TRY_STATUS(scheduleAll());
    for (; result_.reruns < config_.rerun && result_.peakBytes > request_.config.memoryLimit;
         ++result_.reruns) {
      config_.memoryLimit = static_cast<int64_t>(static_cast<double>(config_.memoryLimit) * 0.9);
      TRY_STATUS(scheduleAll());
    }
    result_.memoryLimit = config_.memoryLimit;
    return std::move(result_);
  }

 private:
  Status scheduleAll() {
    result_.logs.clear();
    ModulePressureState pressure(module_, alias_, config_.topDownScheduling, request_.shapeBytes);
    for (Computation* computation : todo_) {
      if (request_.cancel.cancelled()) return fail("cancelled", "cancelled");
      TRY_STATUS(scheduleOne(*computation, pressure));
    }
    result_.peakBytes = pressure.peakBytes();
    return {};
  }

  Status scheduleOne(Computation& computation, ModulePressureState& pressure) {
    std::vector<Instruction*> order;
    for (Instruction* instruction : computation.instructions()) order.push_back(instruction);
    TRY(const SchedulingGroups groups, SchedulingGroups::of(computation));
    ScheduleGraph graph(order, estimator_, tracker_, alias_);
    setPreferences(computation, graph);
    if (request_.adjustGraph) request_.adjustGraph(graph);
    MemoryPressureTracker& memory = pressure.tracker(computation);
    memory.reset(pressure.isTracked(computation) ? pressure.state(computation).liveAtBottom
                                                 : std::vector<BufferId>());
    SchedulingState state(config_, tracker_, graph, memory);
    if (request_.rule) state.rule = &request_.rule;
    if (request_.keepLog) {
      state.log = &result_.logs.emplace_back();
      state.log->computation = computation.id();
      state.log->topDown = config_.topDownScheduling;
      state.log->watched = request_.watched;
    }
    TRY(const auto sequence, ComputationScheduler(state, groups).run());
    std::vector<Instruction*> ordered;
    for (const NodeIndex index : sequence) ordered.push_back(order[index]);
    result_.changed |= ordered != order;
    computation.reorder(ordered);
    pressure.update(computation, memory.state());
    tracker_.forget(computation);
    return {};
  }

  void setPreferences(const Computation& computation, ScheduleGraph& graph) const {
    if (!computation.isEntry() || request_.entryPreferences.size() != graph.nodes().size()) return;
    for (NodeIndex i = 0; i < graph.nodes().size(); ++i) {
      graph.node(i).hasPreference = true;
      graph.node(i).preference = request_.entryPreferences[i];
    }
  }

  Module& module_;
  const LatencyHidingRequest& request_;
  SchedulerConfig config_;
  const LatencyEstimator& estimator_;
  AsyncTracker& tracker_;
  const AliasAnalysis& alias_;
  std::vector<Computation*> todo_;  // called before caller
  LatencyHidingResult result_;
};

}  // namespace

Result<LatencyHidingResult> scheduleToHideLatency(Module& module, const LatencyHidingRequest& request) {
  TRY_STATUS(checkSchedulerConfig(request.config));
  if (!module.isScheduled()) {
    return fail("not-scheduled", "the module has no schedule to start from", {},
                {"a memory scheduler gives it one: --passes=memory-scheduler,latency-hiding-scheduler"});
  }
  TRY(const AliasAnalysis alias, AliasAnalysis::run(module, backendOf(module)));
  const bool gpu = request.config.backend == Backend::Gpu;
  const UniformLatencyEstimator uniform;
  const GpuUniformLatencyEstimator gpuUniform;
  const LatencyEstimator& fallback = gpu ? static_cast<const LatencyEstimator&>(gpuUniform) : uniform;
  const auto ownTracker = makeAsyncTracker(request.config);
  return ModuleScheduler(module, request, request.estimator != nullptr ? *request.estimator : fallback,
                         request.tracker != nullptr ? *request.tracker : *ownTracker, alias)
      .run();
}

}  // namespace hilo
