#include "core/analysis/execution_order.h"

#include "core/analysis/async_chain.h"

namespace hilo {

ExecutionOrder::ExecutionOrder(const Module& module, const CallGraph& callGraph, bool sequential)
    : callGraph_(callGraph), sequential_(sequential), position_(module.idLimit()) {
  for (const Computation* computation : module.computations()) {
    uint32_t position = 0;
    for (const Instruction* instruction : computation->instructions())
      position_[instruction->id().value] = position++;
    if (edges_.size() <= computation->id().value) edges_.resize(computation->id().value + 1);
    if (sequential_) continue;
    Edges& edges = edges_[computation->id().value];
    for (const Instruction* instruction : computation->instructions()) {
      edges.first.push_back(static_cast<uint32_t>(edges.before.size()));
      const auto add = [&](const Instruction* earlier) {
        edges.before.push_back(position_[earlier->id().value]);
      };
      std::ranges::for_each(instruction->operands(), add);
      std::ranges::for_each(instruction->get<Attr::ControlPredecessors>(), add);
    }
    edges.first.push_back(static_cast<uint32_t>(edges.before.size()));
  }
}

const std::vector<uint64_t>& ExecutionOrder::ancestors(const Instruction& instruction) {
  auto [entry, isNew] = ancestors_.try_emplace(&instruction);
  std::vector<uint64_t>& bits = entry->second;
  if (!isNew) return bits;
  const Edges& edges = edges_[instruction.parent().id().value];
  bits.resize(edges.first.size() / 64 + 1);
  std::vector<uint32_t> pending = {position_[instruction.id().value]};
  while (!pending.empty()) {
    const uint32_t at = pending.back();
    pending.pop_back();
    for (uint32_t i = edges.first[at]; i < edges.first[at + 1]; ++i) {
      const uint32_t earlier = edges.before[i];
      uint64_t& word = bits[earlier / 64];
      const uint64_t bit = uint64_t{1} << earlier % 64;
      if ((word & bit) != 0) continue;
      word |= bit;
      pending.push_back(earlier);
    }
  }
  return bits;
}

bool ExecutionOrder::before(const Instruction& a, const Instruction& b) {
  const uint32_t at = position_[a.id().value];
  if (sequential_) return at < position_[b.id().value];
  return (ancestors(b)[at / 64] >> at % 64 & 1) != 0;
}

const Instruction* ExecutionOrder::caller(const Computation& computation) const {
  const Instruction* found = nullptr;
  for (const Instruction* caller : callGraph_.node(computation).callers) {
    if (caller->opcode() == Opcode::AsyncUpdate || caller->opcode() == Opcode::AsyncDone) continue;
    if (found != nullptr) return nullptr;
    found = caller;
  }
  return found;
}

bool ExecutionOrder::isNestedIn(const Instruction& instruction, const Computation& computation) const {
  const Instruction* at = &instruction;
  while (at != nullptr && &at->parent() != &computation) at = caller(at->parent());
  return at != nullptr;
}

std::pair<const Instruction*, const Instruction*> ExecutionOrder::inSameComputation(
    const Instruction& a, const Instruction& b) const {
  const Instruction *x = &a, *y = &b;
  while (x != nullptr && y != nullptr && &x->parent() != &y->parent()) {
    const uint32_t depthX = callGraph_.node(x->parent()).depth, depthY = callGraph_.node(y->parent()).depth;
    if (depthX >= depthY) x = caller(x->parent());
    if (depthY > depthX) y = caller(y->parent());
  }
  return {x, y};
}

ExecutionConstraint ExecutionOrder::between(const Instruction& a, const Instruction& b) {
  using enum ExecutionConstraint;
  const auto wraps = [](const Instruction& link, const Instruction& inner) {
    return isAsyncLink(link) && asyncWrappedInstruction(link) == &inner;
  };
  if (&a == &b || wraps(a, b) || wraps(b, a)) return Same;
  const auto [x, y] = inSameComputation(a, b);
  if (x == nullptr || y == nullptr) return Unordered;
  if (x == y && x->opcode() == Opcode::While) {
    // The condition runs before the body, and once more after it.
    if (isNestedIn(a, *x->get<Attr::Condition>()) && isNestedIn(b, *x->get<Attr::Body>())) return BeforeEnd;
  }
  if (x == y && x->opcode() == Opcode::Conditional) {
    const auto branches = x->calledComputations();
    const auto branchOf = [&](const Instruction& inner) {
      const auto holds = [&](const Computation* branch) { return isNestedIn(inner, *branch); };
      const auto found = std::ranges::find_if(branches, holds);
      return found == branches.end() ? -1 : static_cast<int>(found - branches.begin());
    };
    const int branchA = branchOf(a), branchB = branchOf(b);
    if (branchB < 0) return BeforeEnd;
    if (branchA < 0) return After;
    if (branchA != branchB) return branchA < branchB ? ExclusiveBefore : ExclusiveAfter;
  }
  if (x == y) return Unordered;
  if (before(*x, *y)) return BeforeStart;
  return before(*y, *x) ? After : Unordered;
}

bool ExecutionOrder::executesBefore(const Instruction& a, const Instruction& b) {
  switch (between(a, b)) {
    case ExecutionConstraint::BeforeStart:
    case ExecutionConstraint::BeforeEnd:
    case ExecutionConstraint::ExclusiveBefore:
      return true;
    default:
      return false;
  }
}

}  // namespace hilo
