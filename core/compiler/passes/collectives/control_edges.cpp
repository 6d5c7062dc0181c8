#include "core/compiler/passes/collectives/control_edges.h"

#include <algorithm>

namespace hilo {

void redirectControlPredecessors(Computation& computation,
                                 const absl::flat_hash_map<const Instruction*, Instruction*>& replacedBy) {
  for (Instruction* instruction : computation.instructions()) {
    const auto before = instruction->get<Attr::ControlPredecessors>();
    if (std::ranges::none_of(before, [&](const Instruction* p) { return replacedBy.contains(p); })) continue;
    std::vector<Instruction*> redirected;
    for (Instruction* predecessor : before) {
      const auto found = replacedBy.find(predecessor);
      Instruction* now = found == replacedBy.end() ? predecessor : found->second;
      if (now != instruction && std::ranges::find(redirected, now) == redirected.end())
        redirected.push_back(now);
    }
    instruction->set<Attr::ControlPredecessors>(redirected);
  }
}

}  // namespace hilo
