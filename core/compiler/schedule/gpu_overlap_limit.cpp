#include "core/analysis/async_chain.h"
#include "core/analysis/cost/uniform_latency.h"
#include "core/compiler/schedule/computation_scheduler.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// Which ranks take part together; nullopt: not known. An empty list: all of them.
std::optional<Groups> groupsOfCollective(const Instruction& collective) {
  if (asyncFacts(collective.opcode()).whole == Opcode::CollectivePermute) {
    Groups groups;
    for (const auto& pair : collective.get<Attr::SourceTargetPairs>())
      groups.emplace_back(pair.begin(), pair.end());
    return groups;
  }
  if (!startsCollective(collective.opcode())) return std::nullopt;
  const ReplicaGroups* groups = collective.get<Attr::ReplicaGroups>();
  return groups == nullptr ? Groups() : expandReplicaGroups(*groups);
}

std::optional<Groups> groupsOfStart(const Instruction& start) {
  if (!isCollectivesGroup(start)) return groupsOfCollective(asyncOperation(start));
  const Computation* wrapped = asyncWrappedComputation(start);
  if (wrapped == nullptr) return std::nullopt;
  std::optional<Groups> all;
  for (const Instruction* instruction : wrapped->instructions()) {
    const Instruction& collective =
        instruction->opcode() == Opcode::AsyncStart ? asyncOperation(*instruction) : *instruction;
    if (!startsCollective(collective.opcode())) continue;
    auto groups = groupsOfCollective(collective);
    if (!groups || groups->empty()) return groups;
    if (!all) all.emplace();
    std::ranges::move(*groups, std::back_inserter(*all));
  }
  return all;
}

bool shareTwoRanks(const Groups& a, const Groups& b) {
  for (const auto& group : a) {
    const absl::flat_hash_set<int64_t> ranks(group.begin(), group.end());
    for (const auto& other : b) {
      if (std::ranges::count_if(other, [&](int64_t rank) { return ranks.contains(rank); }) > 1) return true;
    }
  }
  return false;
}

}  // namespace

bool gpuCrossesOverlapLimit(const SchedulingState& state, const ScheduleNode& node) {
  for (size_t r = 0; r < kResourceCount; ++r) {
    if (state.occupiers[r].empty()) continue;
    if (state.free[r] < state.tracker.countOf(static_cast<Resource>(r), *node.instruction)) return true;
  }
  const auto& resources = state.graph.resources(node).all;
  if (resources.empty() || resources[0].resource != Resource::GpuAsyncStreamCollectives) return false;
  const auto& inFlight = state.occupiers[static_cast<size_t>(Resource::GpuAsyncStreamCollectives)];
  if (inFlight.empty() || isCustomCollective(*node.instruction) || !node.isAsyncDone) return false;
  const Instruction* start = startOfDone(*node.instruction);
  const auto own = start == nullptr ? std::nullopt : groupsOfStart(*start);
  if (!own || own->empty()) return true;
  for (const Instruction* occupier : inFlight) {
    if (!state.tracker.isSupportedAsyncStart(*occupier) || isCustomCollective(*occupier)) continue;
    const auto other = groupsOfStart(*occupier);
    if (!other || other->empty() || shareTwoRanks(*own, *other)) return true;
  }
  return false;
}

}  // namespace hilo
