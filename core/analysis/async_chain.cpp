#include "core/analysis/async_chain.h"

#include <algorithm>
#include <ranges>

namespace hilo {

const Instruction* asyncChainStart(const Instruction& link) {
  const Instruction* at = &link;
  while (at->opcode() == Opcode::AsyncUpdate || at->opcode() == Opcode::AsyncDone) {
    if (at->operandCount() == 0) return nullptr;
    at = at->operand(0);
  }
  return at->opcode() == Opcode::AsyncStart ? at : nullptr;
}

const Instruction* asyncChainDone(const Instruction& link) {
  const Instruction* at = &link;
  while (at != nullptr && at->opcode() != Opcode::AsyncDone) {
    const auto users = at->users();
    const auto next = std::ranges::find_if(users, [&](const Instruction* user) {
      return (user->opcode() == Opcode::AsyncUpdate || user->opcode() == Opcode::AsyncDone) &&
             user->operand(0) == at;
    });
    at = next == users.end() ? nullptr : *next;
  }
  return at;
}

Computation* asyncWrappedComputation(const Instruction& link) {
  if (Computation* own = link.get<Attr::Calls>()) return own;
  const Instruction* start = asyncChainStart(link);
  return start == nullptr ? nullptr : start->get<Attr::Calls>();
}

const Instruction* asyncWrappedInstruction(const Instruction& link) {
  const Computation* wrapped = asyncWrappedComputation(link);
  return wrapped == nullptr ? nullptr : wrapped->root();
}

std::vector<const Instruction*> asyncBoundOperands(const Instruction& link) {
  std::vector<const Instruction*> links;
  for (const Instruction* at = &link; isAsyncLink(*at); at = at->operand(0)) {
    links.push_back(at);
    if (at->opcode() == Opcode::AsyncStart || at->operandCount() == 0) break;
  }
  std::vector<const Instruction*> bound;
  for (const Instruction* at : links | std::views::reverse) {
    const size_t first = at->opcode() == Opcode::AsyncStart ? 0 : 1;
    for (size_t i = first; i < at->operandCount(); ++i) bound.push_back(at->operand(i));
  }
  return bound;
}

}  // namespace hilo
