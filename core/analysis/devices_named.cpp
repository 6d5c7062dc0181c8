#include "core/analysis/devices_named.h"

#include <algorithm>

#include "core/hlo/ir/replica_groups.h"

namespace hilo {

int64_t devicesNamed(const Module& module) {
  int64_t count = 0;
  const auto take = [&](int64_t number) { count = std::max(count, number + 1); };
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (const ReplicaGroups* groups = instruction->get<Attr::ReplicaGroups>()) {
        for (const auto& group : expandReplicaGroups(*groups)) std::ranges::for_each(group, take);
      }
      for (const auto& pair : instruction->get<Attr::SourceTargetPairs>()) std::ranges::for_each(pair, take);
    }
  }
  return count;
}

}  // namespace hilo
