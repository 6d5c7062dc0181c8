#include "core/analysis/partition_groups.h"

#include <algorithm>

#include "core/hlo/ir/replica_groups.h"

namespace hilo {
namespace {

std::vector<std::vector<int64_t>> everybody(int64_t partitions) {
  std::vector<std::vector<int64_t>> one(1);
  for (int64_t p = 0; p < std::min<int64_t>(partitions, int64_t{1} << 20); ++p) one[0].push_back(p);
  return one;
}

// Partitions that reach each other by pairs.
std::vector<std::vector<int64_t>> joined(std::span<const std::span<const int64_t>> pairs,
                                         int64_t partitions) {
  std::vector<int64_t> leader(static_cast<size_t>(partitions));
  for (size_t i = 0; i < leader.size(); ++i) leader[i] = static_cast<int64_t>(i);
  const auto find = [&](int64_t p) {
    while (leader[static_cast<size_t>(p)] != p) p = leader[static_cast<size_t>(p)];
    return p;
  };
  for (const auto& pair : pairs) {
    if (pair.size() != 2 || pair[0] < 0 || pair[1] < 0 || pair[0] >= partitions || pair[1] >= partitions)
      continue;
    const int64_t a = find(pair[0]), b = find(pair[1]);
    leader[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  }
  std::vector<std::vector<int64_t>> byLeader(leader.size()), groups;
  for (int64_t p = 0; p < partitions; ++p) byLeader[static_cast<size_t>(find(p))].push_back(p);
  for (auto& group : byLeader) {
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

std::vector<std::vector<int64_t>> partitionGroups(const Instruction& collective) {
  const Module& module = collective.module();
  const int64_t partitions = std::clamp<int64_t>(module.partitionCount(), 1, int64_t{1} << 20);
  const auto pairs = collective.get<Attr::SourceTargetPairs>();
  if (!pairs.empty()) return joined(pairs, partitions);
  const ReplicaGroups* stated = collective.get<Attr::ReplicaGroups>();
  if (stated == nullptr) return everybody(partitions);
  auto groups = expandReplicaGroups(*stated);
  // Ids of all replicas' devices; partitions of the first replica come first.
  const auto isFirstReplica = [&](const std::vector<int64_t>& group) {
    return std::ranges::all_of(group, [&](int64_t d) { return d < partitions; });
  };
  std::erase_if(groups, [&](const auto& group) { return !isFirstReplica(group); });
  return groups.empty() ? everybody(partitions) : groups;
}

}  // namespace hilo
