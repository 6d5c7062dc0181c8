// The part of ComputationScheduler that takes scheduling groups as a whole.
#include "core/base/check.h"
#include "core/compiler/schedule/computation_scheduler.h"

namespace hilo {
namespace {

bool keepsOriginalOrder(const Instruction& instruction) {
  return hasFrontendAttribute(instruction, "keep_original_sequence_order_in_group", "true");
}

// Which of two ready members of a group: dones first, starts last.
bool isBetterInGroup(const SchedulingState& state, NodeIndex a, NodeIndex b, SchedulingReason& reason) {
  const ScheduleNode &an = state.node(a), &bn = state.node(b);
  if (keepsOriginalOrder(*an.instruction) && keepsOriginalOrder(*bn.instruction)) {
    reason = SchedulingReason::GroupOriginalOrder;
    return a > b;
  }
  if (an.occupies != bn.occupies) {
    reason = SchedulingReason::GroupAsyncDone;
    return an.occupies;
  }
  if (an.releases != bn.releases) {
    reason = SchedulingReason::GroupNotAsyncStart;
    return bn.releases;
  }
  reason = SchedulingReason::GroupNoReason;
  return true;
}

}  // namespace

// How many nodes outside the group must be taken before it.
int64_t ComputationScheduler::countBefore(std::span<const Instruction* const> members, int64_t group) const {
  absl::flat_hash_set<NodeIndex> seen;
  for (const Instruction* member : members) {
    for (const ScheduleEdge& edge : state_.before(state_.graph.indexOf(*member))) {
      if (state_.node(edge.target).annotation != group) seen.insert(edge.target);
    }
  }
  return static_cast<int64_t>(seen.size());
}

void ComputationScheduler::prepareGroups() {
  for (const SchedulingGroups::Group& group : groups_.all()) {
    for (const Instruction* member : group.instructions)
      state_.node(state_.graph.indexOf(*member)).annotation = group.id;
  }
  for (const SchedulingGroups::Group& group : groups_.all()) {
    const int64_t count = countBefore(group.instructions, group.id);
    state_.groups[group.id].all = count;
    if (count == 0) state_.readyGroups.push_back(group.id);
  }
}

// Of a group that keeps its order: the most in flight on the way through it.
ResourceTable ComputationScheduler::neededInOriginalOrder(std::span<const Instruction* const> members) const {
  std::vector<NodeIndex> order;
  for (const Instruction* member : members) order.push_back(state_.graph.indexOf(*member));
  std::ranges::sort(order, std::greater());
  ResourceTable most{}, current{};
  const int64_t sign = state_.topDown() ? -1 : 1;
  for (const NodeIndex index : order) {
    const ScheduleNode& node = state_.node(index);
    if (!node.isAsyncStart) {
      for (const ResourceCount& count : state_.graph.resources(node).counts)
        current[static_cast<size_t>(count.resource)] += sign * count.count;
      for (size_t r = 0; r < kResourceCount; ++r) most[r] = std::max(most[r], current[r]);
      continue;
    }
    for (const Instruction* user : node.instruction->users()) {
      const ScheduleNode& done = state_.node(state_.graph.indexOf(*user));
      if (!done.isAsyncDone) continue;
      for (const ResourceCount& count : state_.graph.resources(done).counts)
        current[static_cast<size_t>(count.resource)] -= sign * count.count;
    }
  }
  return most;
}

// What a group needs in flight: as little as its order can do with, or, with `atMost`, all
// its dones together.
ResourceTable ComputationScheduler::neededByGroup(int64_t group, bool atMost) const {
  const auto members = groups_.instructions(group);
  CHECK(!members.empty());
  if (keepsOriginalOrder(*members[0])) return neededInOriginalOrder(members);
  ResourceTable needed{};
  for (const Instruction* member : members) {
    const bool isDone = member->opcode() == Opcode::AsyncDone;
    const bool accumulates =
        isDone && (atMost || std::ranges::find(members, member->operand(0)) == members.end());
    for (const ResourceCount& count :
         state_.graph.resources(state_.node(state_.graph.indexOf(*member))).counts) {
      int64_t& entry = needed[static_cast<size_t>(count.resource)];
      entry = accumulates ? entry + count.count : std::max(entry, count.count);
    }
  }
  return needed;
}

bool ComputationScheduler::groupCrossesOverlapLimit(int64_t group, bool atMost) const {
  const ResourceTable needed = neededByGroup(group, atMost);
  for (size_t r = 0; r < kResourceCount; ++r) {
    if (needed[r] > state_.free[r] && needed[r] > 0) return true;
  }
  return false;
}

Result<bool> ComputationScheduler::tryOneGroup(bool atMost) {
  if (state_.readyGroups.empty() || !state_.holdingGroups.empty()) return false;
  const auto found = std::ranges::find_if(
      state_.readyGroups, [&](int64_t group) { return !groupCrossesOverlapLimit(group, atMost); });
  if (found == state_.readyGroups.end()) return false;
  const int64_t group = *found;
  std::swap(*found, state_.readyGroups.back());
  state_.readyGroups.pop_back();
  state_.ongoingGroup = group;
  TRY_STATUS(scheduleGroup(group));
  state_.ongoingGroup = kNoAnnotation;
  return true;
}

std::optional<NodeIndex> ComputationScheduler::extractBestOfGroup() {
  auto& ready = state_.groupReady;
  auto chosen = ready.end();
  for (auto at = ready.begin(); at != ready.end(); ++at) {
    if (crossesOverlapLimit(*at)) continue;
    if (chosen == ready.end()) {
      chosen = at;
      continue;
    }
    SchedulingReason reason;
    const bool better = isBetterInGroup(state_, *at, *chosen, reason);
    if (state_.log != nullptr) {
      const InstructionId next = state_.node(*at).instruction->id(),
                          best = state_.node(*chosen).instruction->id();
      if (state_.log->wants(next) || state_.log->wants(best))
        state_.log->decisions.push_back({better ? next : best, better ? best : next, reason});
    }
    if (better) chosen = at;
  }
  if (chosen == ready.end()) return std::nullopt;
  const NodeIndex index = *chosen;
  std::swap(*chosen, ready.back());
  ready.pop_back();
  return index;
}

Status ComputationScheduler::scheduleGroup(int64_t group) {
  const auto members = groups_.instructions(group);
  state_.groupReady.clear();
  for (const NodeIndex index : state_.readySet) {
    if (state_.node(index).annotation == group) state_.groupReady.push_back(index);
  }
  size_t scheduled = 0, givenBack = 0;
  while (!state_.groupReady.empty()) {
    const auto index = extractBestOfGroup();
    if (!index) return std::unexpected(blocked());
    ScheduleNode& node = state_.node(*index);
    // The group's first instruction may be left to the general rules, which can move it earlier.
    if (state_.config.flexibleSchedulingAnnotationScheduling && scheduled + 1 == members.size() &&
        node.isAsyncStart) {
      ++givenBack;
      node.annotation = kNoAnnotation;
      node.forceDelayAfterTarget |= state_.config.aggressiveFlexibleAnnotationScheduling;
      state_.holdingGroups.insert(*index);
      continue;
    }
    std::erase(state_.readySet, *index);
    schedule(*index, DecisionKind::Group);
    ++scheduled;
  }
  if (scheduled + givenBack >= members.size()) return {};
  // What was not ready goes its own way.
  for (const Instruction* member : members) {
    const NodeIndex index = state_.graph.indexOf(*member);
    ScheduleNode& node = state_.node(index);
    if (node.isScheduled) continue;
    node.annotation = kNoAnnotation;
    state_.holdingGroups.insert(index);
  }
  return {};
}

}  // namespace hilo
