#include "core/analysis/schedule/verify_order.h"

#include "core/analysis/post_order_walk.h"

namespace hilo {

std::vector<OrderFault> orderFaults(const Computation& computation,
                                    std::span<const Instruction* const> order) {
  std::vector<OrderFault> faults;
  absl::flat_hash_map<const Instruction*, size_t> position;
  for (const Instruction* instruction : order) {
    if (position.emplace(instruction, position.size()).second) continue;
    faults.push_back(
        {instruction, nullptr,
         fmt::format("Instruction {} appears more than once in the schedule", instruction->name())});
  }
  if (position.size() != computation.instructionCount()) {
    faults.push_back({nullptr, nullptr,
                      fmt::format("Schedule for computation {} has {} instructions, expected {}",
                                  computation.name(), position.size(), computation.instructionCount())});
  }
  for (const Instruction* instruction : computation.instructions()) {
    if (!position.contains(instruction)) {
      faults.push_back(
          {instruction, nullptr, fmt::format("Instruction {} is not in schedule", instruction->name())});
    }
  }
  const auto mustFollow = [&](const Instruction* instruction, const Instruction* before,
                              std::string_view what) {
    const auto own = position.find(instruction), earlier = position.find(before);
    if (own == position.end() || (earlier != position.end() && earlier->second < own->second)) return;
    faults.push_back({instruction, before,
                      fmt::format("Instruction {} is not scheduled after its {} {}", instruction->name(),
                                  what, before->name())});
  };
  for (const Instruction* instruction : computation.instructions()) {
    for (const Instruction* operand : instruction->operands()) mustFollow(instruction, operand, "operand");
    for (const Instruction* before : instruction->get<Attr::ControlPredecessors>())
      mustFollow(instruction, before, "control predecessor");
  }
  return faults;
}

Status verifyOrder(const Computation& computation, std::span<const Instruction* const> order) {
  std::vector<OrderFault> faults = orderFaults(computation, order);
  if (faults.empty()) return {};
  const Instruction* instruction = faults[0].instruction;
  return fail("bad-schedule", std::move(faults[0].message),
              {.computation = std::string(computation.name()),
               .instruction = instruction == nullptr ? std::string() : std::string(instruction->name())});
}

std::vector<Instruction*> postOrder(const Computation& computation) {
  absl::flat_hash_set<const Instruction*> isPredecessor;
  for (const Instruction* i : computation.instructions()) {
    for (const Instruction* before : i->get<Attr::ControlPredecessors>()) isPredecessor.insert(before);
  }
  PostOrderWalk<Instruction> walk(idsOf(computation));
  const auto needs = [](const Instruction* at, std::vector<Instruction*>& needed) {
    for (Instruction* before : at->get<Attr::ControlPredecessors>()) needed.push_back(before);
    std::ranges::reverse(needed);
    for (Instruction* operand : at->operands()) needed.push_back(operand);
  };
  for (Instruction* instruction : computation.instructions()) {
    if (instruction->users().empty() && !isPredecessor.contains(instruction)) walk.visit(instruction, needs);
  }
  for (Instruction* instruction : computation.instructions()) walk.visit(instruction, needs);
  return walk.takeOrder();
}

}  // namespace hilo
