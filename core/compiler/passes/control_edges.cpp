#include "core/compiler/passes/control_edges.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

namespace hilo {

void addControlPredecessor(Instruction& instruction, Instruction& predecessor) {
  const auto known = instruction.get<Attr::ControlPredecessors>();
  if (std::ranges::find(known, &predecessor) != known.end()) return;
  std::vector<Instruction*> all(known.begin(), known.end());
  all.push_back(&predecessor);
  instruction.set<Attr::ControlPredecessors>(std::span<Instruction* const>(all));
}

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

bool waitsFor(const Instruction& from, const Instruction& other) {
  std::vector<const Instruction*> pending = {&from};
  absl::flat_hash_set<const Instruction*> seen = {&from};
  const auto visit = [&](const Instruction* next) {
    if (seen.insert(next).second) pending.push_back(next);
  };
  while (!pending.empty()) {
    const Instruction* at = pending.back();
    pending.pop_back();
    if (at == &other) return true;
    for (const Instruction* operand : at->operands()) visit(operand);
    for (const Instruction* before : at->get<Attr::ControlPredecessors>()) visit(before);
  }
  return false;
}

}  // namespace hilo
