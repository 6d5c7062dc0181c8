#include "core/analysis/schedule/timeline.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/cost/uniform_latency.h"
#include "core/analysis/id_range.h"
#include "core/analysis/while_loop.h"

namespace hilo {
namespace {

constexpr int kMaxCallDepth = 200;

LaneKind laneKindOf(const Instruction& start) {
  const CanonicalAsyncOp op = canonicalAsyncOp(start, true);
  if (isOnP2pCollectiveStream(start) || op.inner == Opcode::Send || op.inner == Opcode::Recv)
    return LaneKind::PointToPoint;
  // A group of collectives is one launch on their stream, a collective kernel of a library's another.
  if (isCollectiveCommunication(op.inner) || isCollectivesGroup(start) || isCustomCollective(start))
    return LaneKind::Collective;
  return op.inner == Opcode::Copy ? LaneKind::Copy : LaneKind::AsyncCompute;
}

class Simulation {
 public:
  Simulation(const LatencyEstimator& estimator, const TimelineOptions& options)
      : estimator_(estimator),
        options_(options),
        unitNs_(estimator.unitsPerMicrosecond() > 1 ? 1000 / estimator.unitsPerMicrosecond() : 1) {}

  int32_t run(const Computation& computation, int depth) {
    const auto known = indexOf_.find(&computation);
    if (known != indexOf_.end()) return known->second;
    if (depth > kMaxCallDepth) return -1;
    ComputationRun one(*this, computation, depth);
    ComputationTimeline timeline = one.run();
    const auto index = static_cast<int32_t>(timeline_.computations.size());
    timeline_.computations.push_back(std::move(timeline));
    indexOf_[&computation] = index;
    return index;
  }

  Timeline take() { return std::move(timeline_); }

 private:
  struct InFlight {
    size_t event;
    double endNs;
  };

  class ComputationRun {
   public:
    ComputationRun(Simulation& outer, const Computation& computation, int depth)
        : outer_(outer),
          computation_(computation),
          depth_(depth),
          ids_(idsOf(computation)),
          critical_(ids_.size()) {
      result_.computation = &computation;
      result_.lanes.push_back({});
      laneFreeNs_.push_back(0);
    }

    ComputationTimeline run() {
      for (const Instruction* instruction : computation_.instructions()) play(*instruction);
      // What nothing waits for here still has to end.
      for (const double freeNs : laneFreeNs_) nowNs_ = std::max(nowNs_, freeNs);
      result_.durationNs = nowNs_;
      const int32_t streams = outer_.options_.collectiveStreams;
      const double perStreamNs = streams > 0 ? onCollectiveStreamsNs_ / streams : 0;
      result_.boundNs = std::max({result_.criticalNs, onComputeLaneNs_, perStreamNs});
      for (const Instruction* at = lastCritical_; at != nullptr; at = criticalOf(*at).before)
        result_.criticalPath.push_back(at);
      std::ranges::reverse(result_.criticalPath);
      return std::move(result_);
    }

   private:
    double costNs(const Instruction& i) const { return outer_.estimator_.nodeCost(i) * outer_.unitNs_; }

    void play(const Instruction& instruction) {
      const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
      const bool isAsync = op.role != AsyncRole::None && !isSyncOf(instruction, op.role);
      double ownNs = 0;
      if (isAsync && op.role == AsyncRole::Start) {
        ownNs = costNs(instruction);
        issue(instruction, ownNs);
      } else if (isAsync) {
        ownNs = costNs(instruction);
        wait(instruction, ownNs);
      } else if (runsOthers(instruction)) {
        ownNs = block(instruction);
      } else {
        ownNs = costNs(instruction);
        work(instruction, op, ownNs);
      }
      noteCritical(instruction, ownNs);
    }

    static bool isSyncOf(const Instruction& instruction, AsyncRole role) {
      const Instruction* start = role == AsyncRole::Start ? &instruction : startOfDone(instruction);
      return start != nullptr && isSyncCollective(*start);
    }

    static bool runsOthers(const Instruction& instruction) {
      return instruction.opcode() == Opcode::While || instruction.opcode() == Opcode::Conditional ||
             instruction.opcode() == Opcode::Call;
    }

    void work(const Instruction& instruction, const CanonicalAsyncOp& op, double ns) {
      if (ns <= 0) return;
      const bool collective = isCollectiveCommunication(op.inner);
      result_.events.push_back({.instruction = &instruction,
                                .startNs = nowNs_,
                                .endNs = nowNs_ + ns,
                                .exposedNs = collective ? ns : 0});
      nowNs_ += ns;
      onComputeLaneNs_ += ns;
      result_.computeNs += collective ? 0 : ns;
      if (!collective) return;
      result_.exposedNs += ns;
      result_.communicationNs += ns;
    }

    // What lies between a start and its done; other instructions follow each other at once.
    double pairLatencyNs(const Instruction& from, const Instruction& to) const {
      const bool pair = canonicalAsyncOp(to, true).role == AsyncRole::Done && startOfDone(to) == &from &&
                        !isSyncCollective(from);
      return pair ? outer_.estimator_.latencyBetween(from, to) * outer_.unitNs_ : 0;
    }

    double latencyNs(const Instruction& start) const {
      for (const Instruction* user : start.users()) {
        const Instruction* done = user->opcode() == Opcode::AsyncUpdate ? asyncChainDone(*user) : user;
        if (done != nullptr && canonicalAsyncOp(*done, true).role == AsyncRole::Done)
          return outer_.estimator_.latencyBetween(start, *done) * outer_.unitNs_;
      }
      return 0;  // done elsewhere: its time is counted there or not at all
    }

    uint16_t takeLane(LaneKind kind, std::string_view thread) {
      const int32_t limit = kind == LaneKind::Collective ? outer_.options_.collectiveStreams : 0;
      int32_t count = 0;
      size_t soonest = 0;
      for (size_t lane = 1; lane < result_.lanes.size(); ++lane) {
        if (result_.lanes[lane].kind != kind || result_.lanes[lane].thread != thread) continue;
        ++count;
        if (laneFreeNs_[lane] <= nowNs_) return static_cast<uint16_t>(lane);
        if (soonest == 0 || laneFreeNs_[lane] < laneFreeNs_[soonest]) soonest = lane;
      }
      constexpr int32_t kMostLanes = 1000;
      if (count >= (limit > 0 ? limit : kMostLanes)) return static_cast<uint16_t>(soonest);
      result_.lanes.push_back({kind, count, thread});
      laneFreeNs_.push_back(0);
      return static_cast<uint16_t>(result_.lanes.size() - 1);
    }

    void issue(const Instruction& start, double issueNs) {
      if (issueNs > 0) work(start, {}, issueNs);
      const double ns = latencyNs(start);
      const LaneKind kind = laneKindOf(start);
      const uint16_t lane =
          takeLane(kind, kind == LaneKind::AsyncCompute ? asyncExecutionThread(start) : std::string_view());
      const double from = std::max(nowNs_, laneFreeNs_[lane]);
      laneFreeNs_[lane] = from + ns;
      if (kind == LaneKind::Collective) onCollectiveStreamsNs_ += ns;
      inFlight_[&start] = {result_.events.size(), from + ns};
      result_.events.push_back({.instruction = &start,
                                .kind = TimelineEventKind::Async,
                                .lane = lane,
                                .startNs = from,
                                .endNs = from + ns});
      result_.communicationNs += ns;
    }

    void wait(const Instruction& done, double ns) {
      const Instruction* start = startOfDone(done);
      const auto found = start == nullptr ? inFlight_.end() : inFlight_.find(start);
      if (found != inFlight_.end() && found->second.endNs > nowNs_) {
        const double waitNs = found->second.endNs - nowNs_;
        result_.events.push_back({.instruction = &done,
                                  .kind = TimelineEventKind::Wait,
                                  .startNs = nowNs_,
                                  .endNs = nowNs_ + waitNs,
                                  .exposedNs = waitNs});
        result_.events[found->second.event].exposedNs = waitNs;
        result_.exposedNs += waitNs;
        nowNs_ += waitNs;
      }
      if (ns > 0) work(done, {}, ns);
    }

    // A loop's body and condition, a branch, a call: the longest or all of what it runs.
    double block(const Instruction& instruction) {
      const int64_t repeat = instruction.opcode() == Opcode::While
                                 ? std::max<int64_t>(0, tripCount(instruction).value_or(1))
                                 : 1;
      const bool oneOfThem = instruction.opcode() == Opcode::Conditional;
      ComputationTimeline sum;
      int32_t longest = -1;
      double longestNs = -1;
      for (const Computation* called : instruction.calledComputations()) {
        const int32_t index = called == nullptr ? -1 : outer_.run(*called, depth_ + 1);
        if (index < 0) continue;
        const ComputationTimeline& part = outer_.timeline_.computations[static_cast<size_t>(index)];
        if (part.durationNs > longestNs) {
          longestNs = part.durationNs;
          longest = index;
          if (oneOfThem) sum = {.boundNs = sum.boundNs};
        } else if (oneOfThem) {
          sum.boundNs = std::max(sum.boundNs, part.boundNs);
          continue;
        }
        sum.boundNs = oneOfThem ? std::max(sum.boundNs, part.boundNs) : sum.boundNs + part.boundNs;
        sum.durationNs += part.durationNs;
        sum.exposedNs += part.exposedNs;
        sum.computeNs += part.computeNs;
        sum.communicationNs += part.communicationNs;
      }
      const auto times = static_cast<double>(repeat);
      const double ns = sum.durationNs * times;
      result_.events.push_back({.instruction = &instruction,
                                .kind = TimelineEventKind::Block,
                                .startNs = nowNs_,
                                .endNs = nowNs_ + ns,
                                .exposedNs = sum.exposedNs * times,
                                .child = longest,
                                .repeat = repeat});
      nowNs_ += ns;
      result_.exposedNs += sum.exposedNs * times;
      result_.computeNs += sum.computeNs * times;
      result_.communicationNs += sum.communicationNs * times;
      // Another order of what it runs takes at least that.
      onComputeLaneNs_ += sum.boundNs * times;
      return sum.boundNs * times;
    }

    void noteCritical(const Instruction& instruction, double ownNs) {
      Critical own{.isPlayed = true};
      const auto after = [&](const Instruction& before) {
        const Critical& known = criticalOf(before);
        if (!known.isPlayed) return;
        const double readyNs = known.endNs + pairLatencyNs(before, instruction);
        if (readyNs <= own.endNs) return;
        own.endNs = readyNs;
        own.before = &before;
      };
      for (const Instruction* operand : instruction.operands()) after(*operand);
      for (const Instruction* before : instruction.get<Attr::ControlPredecessors>()) after(*before);
      own.endNs += ownNs;
      criticalOf(instruction) = own;
      if (own.endNs <= result_.criticalNs) return;
      result_.criticalNs = own.endNs;
      lastCritical_ = &instruction;
    }

    Simulation& outer_;
    const Computation& computation_;
    const int depth_;
    ComputationTimeline result_;
    double nowNs_ = 0;
    double onComputeLaneNs_ = 0;  // work, synchronous collectives, and the bounds of what blocks run
    double onCollectiveStreamsNs_ = 0;
    std::vector<double> laneFreeNs_;
    absl::flat_hash_map<const Instruction*, InFlight> inFlight_;
    struct Critical {
      double endNs = 0;                     // of the longest chain up to it
      const Instruction* before = nullptr;  // in that chain
      bool isPlayed = false;
    };
    Critical& criticalOf(const Instruction& instruction) {
      return critical_[instruction.id().value - ids_.first];
    }
    const IdRange ids_;
    std::vector<Critical> critical_;  // by place among ids_
    const Instruction* lastCritical_ = nullptr;
  };

  const LatencyEstimator& estimator_;
  const TimelineOptions options_;
  const double unitNs_;
  absl::flat_hash_map<const Computation*, int32_t> indexOf_;
  Timeline timeline_;
};

}  // namespace

Timeline simulate(const Module& module, const LatencyEstimator& estimator, const TimelineOptions& options) {
  Simulation simulation(estimator, options);
  if (module.entry() != nullptr) simulation.run(*module.entry(), 0);
  return simulation.take();
}

}  // namespace hilo
