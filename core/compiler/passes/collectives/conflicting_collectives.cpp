#include "core/compiler/passes/collectives/conflicting_collectives.h"

#include <absl/container/flat_hash_set.h>

#include <map>

#include "core/analysis/async_op.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/permute_pairs.h"
#include "core/hlo/eval/collective_groups.h"

namespace hilo {
namespace {

// Devices in disjoint groups, which grow together.
class DeviceGroups {
 public:
  void join(int64_t a, int64_t b) { parent_[find(a)] = find(b); }
  void join(const DeviceGroups& others) {
    for (const auto& [device, parent] : others.parent_) join(device, parent);
  }

  bool sharesTwoOfAGroup(const DeviceGroups& other) const {
    std::map<std::pair<int64_t, int64_t>, int> shared;  // (our group, its group)
    for (const auto& [device, parent] : parent_) {
      if (other.parent_.contains(device) && ++shared[{find(device), other.find(device)}] == 2) return true;
    }
    return false;
  }

 private:
  int64_t find(int64_t device) {
    parent_.try_emplace(device, device);
    return std::as_const(*this).find(device);
  }
  int64_t find(int64_t device) const {
    while (parent_.at(device) != device) device = parent_.at(device);
    return device;
  }
  std::map<int64_t, int64_t> parent_;
};

bool isAmongDevices(const Instruction& i) {
  if (i.opcode() == Opcode::Send || i.opcode() == Opcode::Recv)
    return !i.get<Attr::IsHostTransfer>().value_or(false);
  return startsCollective(i.opcode()) ||
         (i.opcode() == Opcode::AsyncStart && startsCollective(asyncOperation(i).opcode()));
}

std::vector<std::vector<int64_t>> listsOf(const Instruction& start) {
  const Instruction& collective = asyncOperation(start);
  if (collective.opcode() == Opcode::Send || collective.opcode() == Opcode::Recv) {
    const auto pairs = sendRecvPairs(collective);
    return pairs && *pairs ? **pairs : std::vector<std::vector<int64_t>>();
  }
  if (collective.has(Attr::SourceTargetPairs)) {
    std::vector<std::vector<int64_t>> lists;
    for (const auto& [source, target] : writtenPairs(collective)) lists.push_back({source, target});
    return lists;
  }
  if (auto groups = writtenGroups(collective); !groups.empty()) return groups;
  std::vector<int64_t> all;
  const Module& module = start.module();
  for (int64_t k = 0; k < module.replicaCount() * module.partitionCount(); ++k) all.push_back(k);
  return {all};
}

DeviceGroups groupsOf(const Instruction& collective) {
  DeviceGroups groups;
  for (const std::vector<int64_t>& list : listsOf(collective)) {
    for (const int64_t device : list) groups.join(list[0], device);
  }
  return groups;
}

}  // namespace

std::vector<Instruction*> conflictingCollectives(Computation& computation,
                                                 std::span<Instruction* const> seeds) {
  DeviceGroups known;
  for (const Instruction* seed : seeds) known.join(groupsOf(*seed));
  absl::flat_hash_set<const Instruction*> seen(seeds.begin(), seeds.end());
  std::vector<Instruction*> found, order;
  for (Instruction* i : postOrder(computation)) {
    if (isAmongDevices(*i)) order.push_back(i);
  }
  for (bool grows = !seeds.empty(); grows;) {
    grows = false;
    for (Instruction* i : order) {
      if (seen.contains(i)) continue;
      const DeviceGroups groups = groupsOf(*i);
      if (!groups.sharesTwoOfAGroup(known)) continue;
      known.join(groups);
      seen.insert(i);
      found.push_back(i);
      grows = true;
    }
  }
  return found;
}

}  // namespace hilo
