#include "core/workspace/schedule/schedule_edits.h"

namespace hilo {
namespace {

std::vector<Instruction*> orderOf(const Computation& computation) {
  std::vector<Instruction*> order;
  for (Instruction* instruction : computation.instructions()) order.push_back(instruction);
  return order;
}

// Some way from `from` to `to` through uses and control dependencies.
bool dependsOn(const Instruction& to, const Instruction& from) {
  absl::flat_hash_set<const Instruction*> seen = {&to};
  std::vector<const Instruction*> stack = {&to};
  while (!stack.empty()) {
    const Instruction* at = stack.back();
    stack.pop_back();
    if (at == &from) return true;
    for (const Instruction* operand : at->operands()) {
      if (seen.insert(operand).second) stack.push_back(operand);
    }
    for (const Instruction* before : at->get<Attr::ControlPredecessors>()) {
      if (seen.insert(before).second) stack.push_back(before);
    }
  }
  return false;
}

std::string_view nameOnLine(std::string_view line) {
  const auto trim = [&] {
    const size_t first = line.find_first_not_of(" \t\r");
    line.remove_prefix(first == std::string_view::npos ? line.size() : first);
  };
  trim();
  if (line.starts_with("ROOT ")) line.remove_prefix(5);
  trim();
  if (line.starts_with("//") || line.starts_with("#")) return {};
  if (line.starts_with("%")) line.remove_prefix(1);
  return line.substr(0, line.find_first_of(" \t\r,=("));
}

// Each instruction once: what is doubled counts where it stands first, what is missing comes as early as
// its operands allow.
void reorderNear(Computation& computation, std::span<const Instruction* const> wanted) {
  absl::flat_hash_set<const Instruction*> taken;
  std::vector<Instruction*> result;
  for (const Instruction* instruction : wanted) {
    if (&instruction->parent() == &computation && taken.insert(instruction).second)
      result.push_back(computation.module().instruction(instruction->id()));
  }
  for (Instruction* instruction : orderOf(computation)) {
    if (!taken.insert(instruction).second) continue;
    auto at = result.begin();
    for (auto i = result.begin(); i != result.end(); ++i) {
      if (std::ranges::find(instruction->operands(), *i) != instruction->operands().end()) at = i + 1;
    }
    result.insert(at, instruction);
  }
  computation.reorder(result);
}

// What moves along with others: it costs nothing where it stands.
bool movesAlong(const Instruction& instruction) {
  return instruction.opcode() == Opcode::GetTupleElement || instruction.opcode() == Opcode::Bitcast ||
         instruction.opcode() == Opcode::Constant;
}

using InstructionSet = absl::flat_hash_set<const Instruction*>;

// What an instruction must come after (or before), through what moves along; `along` receives the latter.
InstructionSet bounds(const Instruction& instruction, bool backwards, InstructionSet* along = nullptr) {
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> controlled;
  if (!backwards) {
    for (const Instruction* i : instruction.parent().instructions()) {
      for (const Instruction* before : i->get<Attr::ControlPredecessors>()) controlled[before].push_back(i);
    }
  }
  InstructionSet binding, seen = {&instruction};
  std::vector<const Instruction*> stack = {&instruction};
  const auto visit = [&](const Instruction* next) {
    if (!seen.insert(next).second) return;
    if (!movesAlong(*next)) {
      binding.insert(next);
    } else {
      stack.push_back(next);
      if (along != nullptr) along->insert(next);
    }
  };
  while (!stack.empty()) {
    const Instruction* at = stack.back();
    stack.pop_back();
    for (const Instruction* next : backwards ? at->operands() : at->users()) visit(next);
    if (backwards) {
      for (const Instruction* next : at->get<Attr::ControlPredecessors>()) visit(next);
    } else if (const auto found = controlled.find(at); found != controlled.end()) {
      for (const Instruction* next : found->second) visit(next);
    }
  }
  return binding;
}

// The order with the instruction at `from` in front of what stands at `to`, and what must move along with it.
std::vector<Instruction*> movedOrder(const std::vector<Instruction*>& order, const Instruction& instruction,
                                     size_t from, size_t to) {
  InstructionSet along;
  bounds(instruction, /*backwards=*/to < from, &along);
  std::vector<Instruction*> moving;
  for (size_t place = std::min(from, to); place < std::max(from + 1, to); ++place) {
    if (place == from || along.contains(order[place])) moving.push_back(order[place]);
  }
  const InstructionSet taken(moving.begin(), moving.end());
  std::vector<Instruction*> result;
  for (size_t place = 0; place <= order.size(); ++place) {
    if (place == to) result.insert(result.end(), moving.begin(), moving.end());
    if (place < order.size() && !taken.contains(order[place])) result.push_back(order[place]);
  }
  return result;
}

}  // namespace

LegalWindow legalWindow(const Instruction& instruction) {
  const auto before = bounds(instruction, /*backwards=*/true), after = bounds(instruction, false);
  LegalWindow window;
  size_t place = 0;
  bool passed = false;
  for (const Instruction* i : instruction.parent().instructions()) {
    if (i == &instruction) {
      window.place = place;
      passed = true;
    } else if (!passed && before.contains(i)) {
      window.earliest = place + 1;
      window.after = i;
    } else if (passed && window.before == nullptr && after.contains(i)) {
      window.latest = place - 1;
      window.before = i;
    }
    ++place;
  }
  if (window.before == nullptr) window.latest = place - 1;
  return window;
}

Result<Instruction*> namedInstruction(const Module& module, const std::string& name) {
  Instruction* found = module.findInstruction(name);
  if (found == nullptr)
    return fail("unknown-instruction", fmt::format("no instruction is called '{}'", name));
  return found;
}

void applyMove(Module& module, const ScheduleMove& move, std::vector<std::string>& notes) {
  Instruction* instruction = module.findInstruction(move.instruction);
  Instruction* before = module.findInstruction(move.before);
  if (instruction == nullptr || before == nullptr || &instruction->parent() != &before->parent()) {
    notes.push_back(fmt::format("{} was not moved before {}: they are not of one computation here",
                                move.instruction, move.before));
    return;
  }
  if (instruction == before) return;
  const LegalWindow window = legalWindow(*instruction);
  Computation& computation = instruction->parent();
  const std::vector<Instruction*> order = orderOf(computation);
  const auto wanted = static_cast<size_t>(std::ranges::find(order, before) - order.begin());
  const size_t place = std::clamp(wanted, window.earliest, window.latest + 1);
  if (place != wanted) {
    const bool early = wanted < window.earliest;
    notes.push_back(fmt::format("{} cannot come {} {}: it is moved as near to {} as it may", move.instruction,
                                early ? "before" : "after",
                                early ? window.after->name() : window.before->name(), move.before));
  }
  computation.reorder(movedOrder(order, *instruction, window.place, place));
}

PinnedOrder::PinnedOrder(Module& module, std::span<const SchedulePin> pins, std::vector<std::string>& notes) {
  absl::flat_hash_set<Computation*> changed;
  for (const SchedulePin& pin : pins) {
    Instruction* instruction = module.findInstruction(pin.instruction);
    if (instruction == nullptr) {
      notes.push_back(fmt::format("{} is pinned but not in this module", pin.instruction));
      continue;
    }
    changed.insert(&instruction->parent());
    if (Instruction* after = pin.after.empty() ? nullptr : instruction->parent().find(pin.after))
      hold(*after, *instruction, notes);
    if (Instruction* before = pin.before.empty() ? nullptr : instruction->parent().find(pin.before))
      hold(*instruction, *before, notes);
  }
  for (Computation* computation : changed) keepDependencies(*computation);
}

void PinnedOrder::hold(Instruction& before, Instruction& after, std::vector<std::string>& notes) {
  if (dependsOn(after, before)) return;
  if (dependsOn(before, after)) {
    notes.push_back(
        fmt::format("{} cannot be held before {}, which it depends on", before.name(), after.name()));
    return;
  }
  const auto now = after.get<Attr::ControlPredecessors>();
  std::vector<Instruction*> predecessors(now.begin(), now.end());
  saved_.push_back({&after, predecessors});
  predecessors.push_back(&before);
  after.set<Attr::ControlPredecessors>(predecessors);
}

void PinnedOrder::removePins() {
  for (auto saved = saved_.rbegin(); saved != saved_.rend(); ++saved) {
    if (saved->predecessors.empty()) {
      saved->instruction->erase(Attr::ControlPredecessors);
    } else {
      saved->instruction->set<Attr::ControlPredecessors>(saved->predecessors);
    }
  }
}

std::vector<OrderFault> applyOrder(Module& module, const std::string& text, std::vector<std::string>& notes) {
  absl::flat_hash_map<std::string_view, Instruction*> byName;
  absl::flat_hash_map<std::string_view, Computation*> computations;
  for (Computation* computation : module.computations()) {
    computations[computation->name()] = computation;
    for (Instruction* instruction : computation->instructions()) byName[instruction->name()] = instruction;
  }
  Computation* current = module.entry();
  std::vector<std::pair<Computation*, std::vector<const Instruction*>>> orders;
  const auto begin = [&](Computation* computation) {
    current = computation;
    if (computation != nullptr) orders.push_back({computation, {}});
  };
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("HloModule") || line.starts_with("}")) continue;
    if (line.ends_with("{")) {
      if (line.starts_with("ENTRY ")) line.remove_prefix(6);
      const auto found = computations.find(nameOnLine(line));
      begin(found == computations.end() ? nullptr : found->second);
      continue;
    }
    const std::string_view name = nameOnLine(line);
    if (name.empty() || current == nullptr) continue;
    const auto found = byName.find(name);
    if (found == byName.end()) {
      notes.push_back(fmt::format("the order names {}, which is not in this module", name));
      continue;
    }
    if (orders.empty()) begin(current);
    orders.back().second.push_back(found->second);
  }
  std::vector<OrderFault> faults;
  for (const auto& [computation, order] : orders) {
    for (OrderFault& fault : orderFaults(*computation, order)) faults.push_back(std::move(fault));
    reorderNear(*computation, order);
  }
  return faults;
}

}  // namespace hilo
