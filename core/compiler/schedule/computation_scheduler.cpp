#include "core/compiler/schedule/computation_scheduler.h"

#include <limits>

#include "core/analysis/backend.h"
#include "core/base/check.h"

namespace hilo {
namespace {

constexpr double kNotReady = std::numeric_limits<double>::infinity();

// Of a list whose order does not count.
void removeFrom(std::vector<NodeIndex>& list, std::vector<NodeIndex>::iterator at) {
  std::swap(*at, list.back());
  list.pop_back();
}

}  // namespace

ComputationScheduler::ComputationScheduler(SchedulingState& state, const SchedulingGroups& groups)
    : state_(state), groups_(groups), order_(state), classes_(state) {
  if (state.log == nullptr || state.log->watched.empty()) return;
  for (NodeIndex i = 0; i < state.graph.nodes().size(); ++i) {
    if (state.log->watched.contains(state.node(i).instruction->id())) watched_.push_back(i);
  }
}

std::optional<Resource> ComputationScheduler::missingResource(NodeIndex index) const {
  for (const ResourceCount& needed : state_.graph.resources(state_.node(index)).counts) {
    if (needed.count > state_.free[static_cast<size_t>(needed.resource)]) return needed.resource;
  }
  return std::nullopt;
}

bool ComputationScheduler::crossesOverlapLimit(NodeIndex index) const {
  if (state_.config.backend == Backend::Gpu && state_.config.collectiveMultiStreaming)
    return gpuCrossesOverlapLimit(state_, state_.node(index));
  return missingResource(index).has_value();
}

// The best of the ready nodes, no longer ready; none when each has to wait for a resource or its group.
std::optional<NodeIndex> ComputationScheduler::compareReady() {
  std::optional<Candidate> chosen;
  for (const NodeIndex index : state_.readySet) compareWith(index, chosen);
  if (classes_.size() > 0) {
    for (const NodeIndex index : classes_.candidates()) compareWith(index, chosen);
  }
  if (!chosen) return std::nullopt;
  logWatched(*chosen);
  if (!classes_.contains(chosen->node)) {
    removeFrom(state_.readySet, std::ranges::find(state_.readySet, chosen->node));
    return chosen->node;
  }
  const int32_t classId = classes_.classOf(chosen->node);
  classes_.remove(chosen->node);
  logNextOfClass(chosen->node, classId);
  return chosen->node;
}

void ComputationScheduler::compareWith(NodeIndex index, std::optional<Candidate>& chosen) {
  if (state_.node(index).annotation != kNoAnnotation) return logSkipped(index, SkipReason::GroupNotReady);
  if (crossesOverlapLimit(index)) return logSkipped(index, SkipReason::ExceedsOverlapLimit);
  Candidate candidate{.node = index, .change = {}};
  if (!chosen) {
    chosen = candidate;
    return;
  }
  SchedulingReason reason;
  const bool better = order_.isBetter(candidate, *chosen, reason);
  better ? logDecision(index, chosen->node, reason) : logDecision(chosen->node, index, reason);
  if (better) chosen = candidate;
}

void ComputationScheduler::logSkipped(NodeIndex index, SkipReason reason) {
  if (state_.log == nullptr) return;
  const InstructionId id = state_.node(index).instruction->id();
  if (state_.log->wants(id)) state_.log->skipped.push_back({id, reason});
}

void ComputationScheduler::logDecision(NodeIndex winner, NodeIndex loser, SchedulingReason reason) {
  if (state_.log == nullptr) return;
  const InstructionId won = state_.node(winner).instruction->id(),
                      lost = state_.node(loser).instruction->id();
  if (state_.log->wants(won) || state_.log->wants(lost)) state_.log->decisions.push_back({won, lost, reason});
}

// Whoever watches a node wants to know why each step takes it, or not, though its class was not looked into.
void ComputationScheduler::logWatched(Candidate& chosen) {
  if (watched_.empty()) return;
  const auto compare = [&](NodeIndex index) {
    if (index == chosen.node || !classes_.contains(index) || classes_.wasCandidate(index)) return;
    if (crossesOverlapLimit(index)) return logSkipped(index, SkipReason::ExceedsOverlapLimit);
    Candidate candidate{.node = index, .change = {}};
    SchedulingReason reason;
    if (!order_.isBetter(candidate, chosen, reason)) logDecision(chosen.node, index, reason);
  };
  const bool takesWatched = std::ranges::find(watched_, chosen.node) != watched_.end();
  for (const NodeIndex index : takesWatched ? classes_.all() : watched_) compare(index);
}

// The one behind the chosen one in its class was not compared with it: what told them apart is known.
void ComputationScheduler::logNextOfClass(NodeIndex winner, int32_t classId) {
  if (state_.log == nullptr || !watched_.empty() || !classes_.isClass(classId)) return;
  const auto next = classes_.bestOfClass(classId);
  if (!next) return;
  const ScheduleNode &a = state_.node(winner), &b = state_.node(*next);
  const bool sameLength = state_.topDown() ? a.asyncHeight == b.asyncHeight : a.asyncDepth == b.asyncDepth;
  const bool byLength = !sameLength && state_.config.aggressiveSchedulingPolicies;
  logDecision(winner, *next,
              !byLength          ? SchedulingReason::OriginalOrder
              : state_.topDown() ? SchedulingReason::AsyncHeight
                                 : SchedulingReason::AsyncDepth);
}

void ComputationScheduler::addReady(NodeIndex index) {
  classes_.takes(index) ? classes_.add(index) : state_.readySet.push_back(index);
}

Result<NodeIndex> ComputationScheduler::extractBest() {
  do {
    if (const auto best = compareReady()) return *best;
  } while (state_.config.deannotateGroupIfBlocked && deannotateSmallestGroup());
  return std::unexpected(blocked());
}

// Of the groups that hold ready nodes back, the one with the fewest instructions is given up.
bool ComputationScheduler::deannotateSmallestGroup() {
  int64_t group = kNoAnnotation;
  size_t smallest = SIZE_MAX;
  for (const NodeIndex index : state_.readySet) {
    const int64_t annotation = state_.node(index).annotation;
    if (annotation == kNoAnnotation) continue;
    const size_t size = groups_.instructions(annotation).size();
    if (size >= smallest) continue;
    smallest = size;
    group = annotation;
  }
  if (group == kNoAnnotation) return false;
  for (const Instruction* member : groups_.instructions(group))
    state_.node(state_.graph.indexOf(*member)).annotation = kNoAnnotation;
  if (state_.ongoingGroup == group) state_.ongoingGroup = kNoAnnotation;
  std::erase(state_.readyGroups, group);
  return true;
}

Diagnostic ComputationScheduler::blocked() const {
  const Place place{.computation = std::string(state_.graph.computation().name())};
  if (!state_.readyGroups.empty()) {
    const int64_t group = state_.readyGroups.front();
    std::string message = fmt::format(
        "There is a scheduling group which exceeds the overlap limits. Annotation id: {}. ", group);
    const ResourceTable needed = neededByGroup(group, false);
    for (size_t r = 0; r < kResourceCount; ++r) {
      if (needed[r] <= state_.free[r]) continue;
      message += fmt::format("It needs {} {} resources, but the limit is {}. ", needed[r],
                             resourceName(static_cast<Resource>(r)), state_.free[r]);
    }
    return fail("scheduling-group-blocked", message, place).error();
  }
  std::vector<std::string> notes;
  std::vector<NodeIndex> waiting = state_.readySet;
  std::ranges::copy(classes_.all(), std::back_inserter(waiting));
  for (const NodeIndex index : waiting) {
    notes.push_back(fmt::format("{}: {}", state_.node(index).instruction->name(),
                                state_.node(index).annotation != kNoAnnotation
                                    ? "its scheduling group is not ready"
                                    : "it would exceed an overlap limit"));
    if (notes.size() == 20) break;
  }
  return fail("nothing-to-schedule", "no ready instruction may be scheduled", place, std::move(notes))
      .error();
}

void ComputationScheduler::noteGroupProgress(NodeIndex index) {
  const int64_t own = state_.node(index).annotation;
  absl::InlinedVector<int64_t, 4> seen;
  for (const ScheduleEdge& edge : state_.after(index)) {
    const int64_t group = state_.node(edge.target).annotation;
    if (group == own || group == kNoAnnotation || std::ranges::find(seen, group) != seen.end()) continue;
    seen.push_back(group);
    GroupProgress& progress = state_.groups[group];
    if (++progress.scheduled == progress.all) state_.readyGroups.push_back(group);
  }
}

void ComputationScheduler::takeResources(NodeIndex index) {
  const ScheduleNode& node = state_.node(index);
  for (const ResourcePair& pair : state_.graph.resources(node).net) {
    const auto r = static_cast<size_t>(pair.resource);
    if (pair.usage == ResourceUsage::Release) {
      ++state_.free[r];
    }
    if (pair.usage == ResourceUsage::Occupy) {
      --state_.free[r];
      --state_.usersInQueue[r];
    }
  }
  if (!state_.config.enableSelectiveResources) return;
  if (node.releasesSelective) std::erase(state_.selectiveReleasers, index);
  // What does not hide a selective operation makes it take longer.
  if (!node.valuableForSelectiveOverlap) {
    for (const NodeIndex releaser : state_.selectiveReleasers) state_.node(releaser).readyTime += node.cost;
  }
}

void ComputationScheduler::noteOccupiers(NodeIndex index) {
  const ScheduleNode& node = state_.node(index);
  for (const ResourcePair& pair : state_.graph.resources(node).all) {
    auto& occupiers = state_.occupiers[static_cast<size_t>(pair.resource)];
    if (pair.usage == ResourceUsage::Release) std::erase(occupiers, node.instruction);
    if (pair.usage != ResourceUsage::Occupy) continue;
    const bool hasStart =
        node.isAsyncDone && node.startOfDone != UINT32_MAX && state_.node(node.startOfDone).isAsyncStart;
    occupiers.push_back(hasStart ? state_.node(node.startOfDone).instruction : node.instruction);
  }
}

double ComputationScheduler::readyTimeOf(NodeIndex index, double atLeast) const {
  double ready = atLeast;
  for (const ScheduleEdge& edge : state_.before(index))
    ready = std::max(ready, state_.node(edge.target).readyTime + edge.latency);
  return ready;
}

void ComputationScheduler::dropReached(double time) {
  const auto later = [&](NodeIndex a, NodeIndex b) {
    return state_.node(a).readyTime > state_.node(b).readyTime;
  };
  while (!state_.nextReady.empty() && state_.node(state_.nextReady.front()).readyTime < time) {
    std::ranges::pop_heap(state_.nextReady, later);
    state_.nextReady.pop_back();
  }
}

// All that had to be taken before it is: the node becomes ready.
void ComputationScheduler::release(NodeIndex index, double time) {
  ScheduleNode& node = state_.node(index);
  for (const ResourcePair& pair : state_.graph.resources(node).all) {
    if (pair.usage == ResourceUsage::Occupy) ++state_.usersInQueue[static_cast<size_t>(pair.resource)];
  }
  node.readyTime = readyTimeOf(index, time);
  if (node.isNop && node.annotation == kNoAnnotation && !node.hasPreference) {
    state_.nopSet.push_back(index);
    return;
  }
  released_.push_back(index);
  if (node.annotation != kNoAnnotation && node.annotation == state_.ongoingGroup)
    state_.groupReady.push_back(index);
  if (node.readyTime > time) {
    state_.nextReady.push_back(index);
    std::ranges::push_heap(state_.nextReady, [&](NodeIndex a, NodeIndex b) {
      return state_.node(a).readyTime > state_.node(b).readyTime;
    });
  }
  if (state_.config.enableSelectiveResources && node.releasesSelective)
    state_.selectiveReleasers.push_back(index);
}

void ComputationScheduler::logStep(NodeIndex index, DecisionKind kind) {
  if (state_.log == nullptr) return;
  DecisionLog& log = *state_.log;
  if (kind == DecisionKind::Only && log.decisions.size() > firstDecision_) kind = DecisionKind::Compared;
  SchedulingStep step{.scheduled = state_.node(index).instruction->id(),
                      .kind = kind,
                      .firstDecision = firstDecision_,
                      .firstSkipped = firstSkipped_};
  for (size_t r = 0; r < kResourceCount; ++r) {
    if (state_.free[r] != state_.limits[r])
      step.inFlight.push_back({static_cast<Resource>(r), state_.limits[r] - state_.free[r]});
  }
  log.steps.push_back(std::move(step));
  firstDecision_ = static_cast<uint32_t>(log.decisions.size());
  firstSkipped_ = static_cast<uint32_t>(log.skipped.size());
}

void ComputationScheduler::schedule(NodeIndex index, DecisionKind kind) {
  logStep(index, kind);
  ScheduleNode& node = state_.node(index);
  state_.sequence.push_back(index);
  node.isScheduled = true;
  state_.holdingGroups.erase(index);
  noteGroupProgress(index);
  takeResources(index);
  node.readyTime = readyTimeOf(index, state_.currentTime);
  const double time = node.readyTime + node.cost;
  dropReached(time);
  for (const ScheduleEdge& edge : state_.after(index)) {
    const ScheduleNode& next = state_.node(edge.target);
    const int32_t degree = (state_.topDown() ? next.indegree : next.outdegree) - 1;
    state_.topDown() ? state_.graph.setIndegree(edge.target, degree)
                     : state_.graph.setOutdegree(edge.target, degree);
    if (degree == 0) release(edge.target, time);
  }
  noteOccupiers(index);
  state_.memory.update(*node.instruction);
  state_.currentTime = time;
  for (const NodeIndex released : std::exchange(released_, {})) addReady(released);
  for (const NodeIndex changed : state_.graph.takeChanged()) classes_.update(changed);
  if (state_.log != nullptr) {
    state_.log->steps.back().readyTime = node.readyTime;
    state_.log->steps.back().memoryBytes = state_.memory.usageBytes();
  }
}

Result<std::vector<NodeIndex>> ComputationScheduler::run() {
  for (ScheduleNode& node : state_.graph.nodes()) node.readyTime = kNotReady;
  prepareGroups();
  for (NodeIndex i = 0; i < state_.graph.nodes().size(); ++i) {
    ScheduleNode& node = state_.node(i);
    if ((state_.topDown() ? node.indegree : node.outdegree) != 0) continue;
    node.readyTime = 0;
    if (node.isNop && !node.hasPreference) {
      state_.nopSet.push_back(i);
    } else {
      addReady(i);
    }
  }
  while (!state_.readySet.empty() || !state_.nopSet.empty() || classes_.size() > 0) {
    TRY(const bool wholeGroup, tryOneGroup(/*atMost=*/true));
    if (wholeGroup) continue;
    if (!state_.nopSet.empty()) {
      const NodeIndex nop = state_.nopSet.back();
      state_.nopSet.pop_back();
      schedule(nop, DecisionKind::Nop);
      continue;
    }
    auto best = extractBest();
    if (best) {
      schedule(*best, DecisionKind::Only);
      continue;
    }
    TRY(const bool group, tryOneGroup(/*atMost=*/false));
    if (!group) return std::unexpected(std::move(best).error());
  }
  CHECK(state_.sequence.size() == state_.graph.nodes().size(), "not all instructions were scheduled");
  std::vector<NodeIndex> order = state_.sequence;
  if (!state_.topDown()) std::ranges::reverse(order);
  return order;
}

}  // namespace hilo
