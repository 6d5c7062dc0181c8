#include "core/analysis/schedule/verify_order.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> bad(const Computation& computation, const Instruction* instruction,
                                std::string message) {
  return fail("bad-schedule", std::move(message),
              {.computation = std::string(computation.name()),
               .instruction = instruction == nullptr ? std::string() : std::string(instruction->name())});
}

}  // namespace

Status verifyOrder(const Computation& computation, std::span<const Instruction* const> order) {
  absl::flat_hash_map<const Instruction*, size_t> position;
  for (const Instruction* instruction : order) {
    if (!position.emplace(instruction, position.size()).second) {
      return bad(computation, instruction,
                 fmt::format("Instruction {} appears more than once in the schedule", instruction->name()));
    }
  }
  if (position.size() != computation.instructionCount()) {
    return bad(computation, nullptr,
               fmt::format("Schedule for computation {} has {} instructions, expected {}", computation.name(),
                           position.size(), computation.instructionCount()));
  }
  for (const Instruction* instruction : computation.instructions()) {
    if (!position.contains(instruction))
      return bad(computation, instruction,
                 fmt::format("Instruction {} is not in schedule", instruction->name()));
  }
  for (const Instruction* instruction : computation.instructions()) {
    const size_t own = position.at(instruction);
    for (const Instruction* operand : instruction->operands()) {
      const auto before = position.find(operand);
      if (before != position.end() && before->second < own) continue;
      return bad(computation, instruction,
                 fmt::format("Instruction {} is not scheduled after its operand {}", instruction->name(),
                             operand->name()));
    }
    for (const Instruction* predecessor : instruction->get<Attr::ControlPredecessors>()) {
      const auto before = position.find(predecessor);
      if (before != position.end() && before->second < own) continue;
      return bad(computation, instruction,
                 fmt::format("Instruction {} is not scheduled after its control predecessor {}",
                             instruction->name(), predecessor->name()));
    }
  }
  return {};
}

std::vector<Instruction*> postOrder(const Computation& computation) {
  enum : uint8_t { kNew, kOpen, kClosed };
  std::vector<uint8_t> state(computation.module().idLimit(), kNew);
  std::vector<Instruction*> order, stack;
  absl::flat_hash_set<const Instruction*> isPredecessor;
  for (const Instruction* i : computation.instructions()) {
    for (const Instruction* before : i->get<Attr::ControlPredecessors>()) isPredecessor.insert(before);
  }
  const auto visitFrom = [&](Instruction* start) {
    stack.push_back(start);
    while (!stack.empty()) {
      Instruction* at = stack.back();
      uint8_t& mark = state[at->id().value];
      if (mark != kNew) {
        stack.pop_back();
        if (mark == kOpen) order.push_back(at);
        mark = kClosed;
        continue;
      }
      mark = kOpen;
      const auto push = [&](Instruction* next) {
        if (state[next->id().value] == kNew) stack.push_back(next);
      };
      for (size_t i = at->operandCount(); i-- > 0;) push(at->operand(i));
      for (Instruction* before : at->get<Attr::ControlPredecessors>()) push(before);
    }
  };
  for (Instruction* instruction : computation.instructions()) {
    if (instruction->users().empty() && !isPredecessor.contains(instruction)) visitFrom(instruction);
  }
  for (Instruction* instruction : computation.instructions()) visitFrom(instruction);
  return order;
}

}  // namespace hilo
