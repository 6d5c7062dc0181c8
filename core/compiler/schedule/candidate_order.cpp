#include "core/compiler/schedule/candidate_order.h"

#include <cmath>

#include "core/analysis/backend.h"
#include "core/base/check.h"

namespace hilo {
namespace {

// Each comparison: positive when a is to be taken first, negative when b, 0 when it does not tell.
using State = SchedulingState;
using Node = ScheduleNode;
using Change = MemoryPressureTracker::Change;

template <typename T>
int more(T a, T b) {
  return a == b ? 0 : a > b ? 1 : -1;
}
// For hints that mean a place in the program rather than a turn.
template <typename T>
int directional(const State& state, T a, T b) {
  return state.topDown() ? more(a, b) : more(b, a);
}

int forceEarly(const State& s, Candidate& a, Candidate& b) {
  return directional(s, !s.node(a.node).forceEarly, !s.node(b.node).forceEarly);
}
int forceDelay(const State& s, Candidate& a, Candidate& b) {
  return directional(s, s.node(a.node).forceDelay, s.node(b.node).forceDelay);
}
int forceDelayPriority(const State& s, Candidate& a, Candidate& b) {
  return directional(s, s.node(a.node).forceDelayPriority, s.node(b.node).forceDelayPriority);
}
int preference(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  return an.hasPreference && bn.hasPreference ? more(an.preference, bn.preference) : 0;
}

// Does the node use something of which none is free and that others wait for?
bool isConstrained(const State& s, const Node& node) {
  return std::ranges::any_of(s.graph.resources(node).all, [&](const ResourcePair& pair) {
    const auto r = static_cast<size_t>(pair.resource);
    return s.free[r] == 0 && s.usersInQueue[r] > 0;
  });
}

int computeForCopyOverlap(const State& s, Candidate& a, Candidate& b) {
  constexpr auto kCopies = static_cast<size_t>(Resource::GpuAsyncStreamMemcpy);
  if (s.free[kCopies] == s.limits[kCopies]) return 0;
  return more(s.node(a.node).valuableForSelectiveOverlap, s.node(b.node).valuableForSelectiveOverlap);
}

bool prefersComputeToStarts(const State& s) {
  return s.config.aggressiveSchedulingPolicies && s.config.collectiveStartAsEarlyAsPossible &&
         s.config.parallelCollectiveOverlapLimit > 1;
}

bool isFreeStart(const State& s, const Node& node) { return node.releases && !isConstrained(s, node); }

int delayStartForCompute(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  if (!prefersComputeToStarts(s) || an.occupies || bn.occupies) return 0;
  return more(!isFreeStart(s, an), !isFreeStart(s, bn));
}

int delayStartForDepth(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  if (!prefersComputeToStarts(s) || an.occupies || bn.occupies || !isFreeStart(s, an)) return 0;
  return more(an.depth, bn.depth);
}

int delayMoveToHost(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  if (prefersComputeToStarts(s) && (an.occupies || bn.occupies)) return 0;
  return more(!an.updatesHostSlice, !bn.updatesHostSlice);
}

int forceDelayAfterTarget(const State& s, Candidate& a, Candidate& b) {
  return directional(s, s.node(a.node).forceDelayAfterTarget, s.node(b.node).forceDelayAfterTarget);
}

bool overLimit(const State& s) { return std::max<int64_t>(0, s.memory.usageBytes()) >= s.config.memoryLimit; }

// A done brings its start with it: the pair's smaller increase and larger peak count.
const Change& changeOf(const State& s, Candidate& candidate) {
  if (candidate.change) return *candidate.change;
  const Node& node = s.node(candidate.node);
  Change change = s.memory.changeOf(*node.instruction);
  if (!s.topDown() && node.isAsyncDone && !s.graph.predecessors(candidate.node).empty()) {
    const Node& start = s.node(s.graph.predecessors(candidate.node)[0].target);
    if (start.isAsyncStart) {
      const Change other = s.memory.changeOf(*start.instruction);
      change = {std::min(change.increase, other.increase), std::max(change.peak, other.peak)};
    }
  }
  return *(candidate.change = change);
}

int noIncreaseOverLimit(const State& s, Candidate& a, Candidate& b) {
  if (!s.memoryIsShort() || !overLimit(s)) return 0;
  const int64_t x = changeOf(s, a).increase, y = changeOf(s, b).increase;
  return more(x <= 0 && x < y, y <= 0 && y < x);
}
int depthOverLimit(const State& s, Candidate& a, Candidate& b) {
  if (!s.memoryIsShort() || !overLimit(s)) return 0;
  return more(s.node(a.node).graphDepth, s.node(b.node).graphDepth);
}
int decreaseOverLimit(const State& s, Candidate& a, Candidate& b) {
  if (!s.memoryIsShort() || !overLimit(s)) return 0;
  return more(changeOf(s, b).increase, changeOf(s, a).increase);
}
int peakOverLimit(const State& s, Candidate& a, Candidate& b) {
  if (!s.memoryIsShort()) return 0;
  const auto fits = [&](const Change& change) {
    return std::max<int64_t>(0, change.peak + s.memory.usageBytes()) <= s.config.memoryLimit;
  };
  return more(fits(changeOf(s, a)), fits(changeOf(s, b)));
}

int delayFarHalf(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  return s.topDown() ? more(!an.isAsyncDone, !bn.isAsyncDone) : more(!an.isAsyncStart, !bn.isAsyncStart);
}

// A send-done to the host whose send could not follow without waiting.
bool shouldDelaySendHostDone(const State& s, NodeIndex index) {
  const Node& node = s.node(index);
  if (node.opcode != Opcode::SendDone || node.startOfDone == UINT32_MAX) return false;
  const auto& resources = s.graph.resources(node).all;
  if (std::ranges::find(resources, Resource::SendHost, &ResourcePair::resource) == resources.end())
    return false;
  double latency = 1, startReady = 0;
  for (const ScheduleEdge& edge : s.graph.successors(node.startOfDone)) {
    const Node& user = s.node(edge.target);
    if (edge.target == index) latency = edge.latency;
    if (std::isinf(user.readyTime)) return false;
    startReady = std::max(startReady, edge.latency + user.readyTime);
  }
  return startReady - s.currentTime > latency;
}

int scheduleNearHalf(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  if (s.topDown()) return more(an.isAsyncStart && an.occupies, bn.isAsyncStart && bn.occupies);
  return more(an.occupies && !shouldDelaySendHostDone(s, a.node),
              bn.occupies && !shouldDelaySendHostDone(s, b.node));
}

int delayDoneOfDelayedStart(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  if (!an.isAsyncDone || !bn.isAsyncDone || an.opcode != bn.opcode) return 0;
  if (an.startOfDone == UINT32_MAX || bn.startOfDone == UINT32_MAX) return 0;
  return directional(s, s.node(an.startOfDone).forceDelay, s.node(bn.startOfDone).forceDelay);
}

int releaseNonextendable(const State& s, Candidate& a, Candidate& b) {
  const auto overdue = [&](const Node& node) {
    return node.releasesNonextendable ? std::max(s.currentTime - node.readyTime, 0.0) : 0.0;
  };
  return more(overdue(s.node(a.node)), overdue(s.node(b.node)));
}

int releaseStart(const State& s, Candidate& a, Candidate& b) {
  const auto isReadyPermute = [&](const Node& node) {
    const auto& resources = s.graph.resources(node).all;
    return node.readyTime <= s.currentTime &&
           std::ranges::find(resources, ResourcePair{Resource::CollectivePermute, ResourceUsage::Release}) !=
               resources.end();
  };
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  const bool aReady = isReadyPermute(an), bReady = isReadyPermute(bn);
  if (aReady != bReady) return more(aReady, bReady);
  return aReady ? more(an.readyTime, bn.readyTime) : 0;
}

int startAtZeroDepth(const State& s, Candidate& a, Candidate& b) {
  const auto mayBeTaken = [&](const Node& node) {
    return !(node.releases && node.asyncDepth == 0 && !isConstrained(s, node));
  };
  return more(mayBeTaken(s.node(a.node)), mayBeTaken(s.node(b.node)));
}

int lessStall(const State& s, Candidate& a, Candidate& b) {
  const auto wait = [&](const Node& node) { return std::max(node.readyTime - s.currentTime, 0.0); };
  return more(wait(s.node(b.node)), wait(s.node(a.node)));
}

int lessSerialConflict(const State& s, Candidate& a, Candidate& b) {
  const auto conflicts = [&](const Node& node) {
    size_t count = 0;
    for (const ResourcePair& pair : s.graph.resources(node).all) {
      if (pair.usage == ResourceUsage::Occupy && s.tracker.hazard(pair.resource) == ResourceHazard::Serial)
        count += s.occupiers[static_cast<size_t>(pair.resource)].size();
    }
    return count;
  };
  return more(conflicts(s.node(b.node)), conflicts(s.node(a.node)));
}

int freeBackedUp(const State& s, Candidate& a, Candidate& b) {
  const auto frees = [&](const Node& node) { return node.releases && isConstrained(s, node); };
  return more(frees(s.node(a.node)), frees(s.node(b.node)));
}

int asyncLength(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  return s.topDown() ? more(an.asyncHeight, bn.asyncHeight) : more(an.asyncDepth, bn.asyncDepth);
}

int avoidWaste(const State& s, Candidate& a, Candidate& b) {
  if (s.nextReady.empty()) return 0;
  const double toHide = s.node(s.nextReady.front()).readyTime - s.currentTime;
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  const double aMiss = std::abs(toHide - an.cost), bMiss = std::abs(toHide - bn.cost);
  return more(!an.releases && aMiss < bMiss, !bn.releases && bMiss < aMiss);
}

int unlockHalf(const State& s, Candidate& a, Candidate& b) {
  const Node &an = s.node(a.node), &bn = s.node(b.node);
  return s.topDown() ? more(an.hasAsyncStartUser, bn.hasAsyncStartUser)
                     : more(an.hasAsyncDoneOperand, bn.hasAsyncDoneOperand);
}

int targetRule(const State& s, Candidate& a, Candidate& b) {
  return (*s.rule)(s.node(a.node), s.node(b.node));
}

int keepForSelectiveOverlap(const State& s, Candidate& a, Candidate& b) {
  if (!s.selectiveReleasers.empty()) return 0;
  const auto isKept = [&](const Candidate& candidate) {
    if (!s.node(candidate.node).valuableForSelectiveOverlap) return false;
    return std::ranges::any_of(s.readySet, [&](NodeIndex other) {
      return other != candidate.node &&
             s.node(other).hopsToSelectiveOccupier <= s.config.maxHopsToClosestSelectiveOverlap;
    });
  };
  return more(isKept(b), isKept(a));
}

int createsMoreReady(const State& s, Candidate& a, Candidate& b) {
  return more(s.node(a.node).readyNodesIfScheduled, s.node(b.node).readyNodesIfScheduled);
}

int decreaseMemory(const State& s, Candidate& a, Candidate& b) {
  if (!s.memoryIsShort()) return 0;
  return more(changeOf(s, a).increase < 0, changeOf(s, b).increase < 0);
}

int originalOrder(const State& s, Candidate& a, Candidate& b) {
  return s.topDown() ? more(b.node, a.node) : more(a.node, b.node);
}

bool isActive(SchedulingReason reason, const SchedulingState& state) {
  const SchedulerConfig& config = state.config;
  using enum SchedulingReason;
  const bool gpu = config.backend == Backend::Gpu, first = config.forceDelayOverMemoryPressure;
  const bool limited = config.memoryLimit != kUnlimited, aggressive = config.aggressiveSchedulingPolicies;
  switch (reason) {
    case FirstForceDelayAfterTarget:
      return first;
    case ForceDelayAfterTarget:
      return !first;
    case FirstD2dOverlap:
    case D2dOverlap:
      return gpu && config.enableSelectiveResources && first == (reason == FirstD2dOverlap);
    case FirstDelayStartForCompute:
    case FirstDelayStartForDepth:
      return gpu && first && config.collectiveStartAsEarlyAsPossible;
    case DelayStartForCompute:
    case DelayStartForDepth:
      return gpu && !first && config.collectiveStartAsEarlyAsPossible;
    case FirstDelayMoveToHost:
    case DelayMoveToHost:
      return gpu && !config.topDownScheduling && first == (reason == FirstDelayMoveToHost);
    case NoIncreaseMemoryOverLimit:
    case DepthOverLimit:
      return limited && config.depthBasedMemoryPressureReduction;
    case DecreaseMemoryOverLimit:
    case MemoryPeakOverLimit:
    case DecreaseMemory:
      return limited;
    case DelayDoneOfSamePreference:
      return config.enableScheduleByStructure && config.topDownScheduling;
    case DelayStartOfSamePreference:
      return config.enableScheduleByStructure && !config.topDownScheduling;
    case ScheduleAsyncStart:
    case UnlockStart:
      return config.topDownScheduling;
    case ScheduleDone:
    case UnlockDone:
      return !config.topDownScheduling;
    case ScheduleStart:
      return config.enableReleaseStartPolicy;
    case FirstStartAtZeroDepth:
      return aggressive && config.prioritizeAsyncDepthOverStall;
    case StartAtZeroDepth:
      return aggressive && !config.prioritizeAsyncDepthOverStall;
    case LessSerialConflict:
      return config.resourceSerializing;
    case AsyncHeight:
      return aggressive && config.topDownScheduling;
    case AsyncDepth:
      return aggressive && !config.topDownScheduling;
    case AvoidWaste:
    case CreatesMoreReadyNodes:
      return aggressive;
    case TargetRule:
      return state.rule != nullptr;
    case NotValuableForSelectiveOverlap:
      return config.enableSelectiveResources;
    default:
      return true;
  }
}

}  // namespace

CandidateOrder::CandidateOrder(const SchedulingState& state) : state_(state) {
  static constexpr Row kAll[] = {
#define REASON(id, name, function, meaning) {function, SchedulingReason::id},
#include "core/compiler/schedule/scheduling_reasons.def"
  };
  for (const Row& row : kAll) {
    if (isActive(row.reason, state)) rows_.push_back(row);
  }
}

bool CandidateOrder::isBetter(Candidate& a, Candidate& b, SchedulingReason& reason) const {
  for (const Row& row : rows_) {
    const int result = row.compare(state_, a, b);
    if (result == 0) continue;
    reason = row.reason;
    return result > 0;
  }
  CHECK(false, "a node compared with itself");
  return false;
}

}  // namespace hilo
