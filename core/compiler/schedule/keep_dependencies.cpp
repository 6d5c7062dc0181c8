#include "core/compiler/schedule/keep_dependencies.h"

#include <queue>

namespace hilo {

void keepDependencies(Computation& computation) {
  std::vector<Instruction*> order;
  for (Instruction* instruction : computation.instructions()) order.push_back(instruction);
  absl::flat_hash_map<const Instruction*, size_t> place;
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<size_t> waiting(order.size());
  std::vector<std::vector<size_t>> after(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto wait = [&](const Instruction* before) {
      after[place.at(before)].push_back(i);
      ++waiting[i];
    };
    for (const Instruction* operand : order[i]->operands()) wait(operand);
    for (const Instruction* before : order[i]->get<Attr::ControlPredecessors>()) wait(before);
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < order.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<Instruction*> result;
  while (!ready.empty()) {
    const size_t next = ready.top();
    ready.pop();
    result.push_back(order[next]);
    for (const size_t user : after[next]) {
      if (--waiting[user] == 0) ready.push(user);
    }
  }
  if (result.size() == order.size()) computation.reorder(result);
}

}  // namespace hilo
