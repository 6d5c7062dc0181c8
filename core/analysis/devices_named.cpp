#include "core/analysis/devices_named.h"

#include <algorithm>
#include <limits>

#include "core/hlo/ir/replica_groups.h"

namespace hilo {

int64_t devicesNamed(const Module& module) {
  int64_t highest = -1;
  const auto take = [&](int64_t number) { highest = std::max(highest, number); };
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (const ReplicaGroups* groups = instruction->get<Attr::ReplicaGroups>()) {
        for (const auto& group : expandReplicaGroups(*groups)) std::ranges::for_each(group, take);
      }
      for (const auto& pair : instruction->get<Attr::SourceTargetPairs>()) std::ranges::for_each(pair, take);
    }
  }
  return highest + (highest < std::numeric_limits<int64_t>::max() ? 1 : 0);
}

}  // namespace hilo
