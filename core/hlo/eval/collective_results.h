// What each collective makes of what the members of its group brought: results only, nothing of how
// they meet (collective.cpp). Every result is a fresh literal, as contributions are shared with the
// other devices' threads.
#pragma once

#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/exchange.h"

namespace hilo::eval {

// What the group brought, and this device's place in it.
struct Met {
  std::shared_ptr<const Contributions> all;
  size_t self = 0;

  size_t size() const { return all->size(); }
  const Literal& operand(size_t member, size_t index) const { return (*all)[member][index]; }
};

Result<Literal> copied(const Literal& from, EvalContext& context);

// How many of a collective-broadcast's operands are broadcast: all but the roots, where those are told.
inline size_t broadcastCount(const Instruction& instruction, size_t operands) {
  const bool hasRoots = instruction.get<Attr::HasDynamicRoot>().value_or(false);
  return hasRoots && operands > 0 ? operands - 1 : operands;
}

// What this device gets of a collective other than collective-permute: one literal a result.
Result<std::vector<Literal>> collectiveResults(const Instruction& instruction, const Met& met,
                                               EvalContext& context);

}  // namespace hilo::eval
