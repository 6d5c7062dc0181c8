#include <absl/container/flat_hash_map.h>

#include "core/compiler/pass/clone_computation.h"
#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

using CallerCounts = absl::flat_hash_map<const Computation*, int64_t>;

CallerCounts callersIn(const Module& module) {
  CallerCounts callers;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : instruction->calledComputations()) ++callers[called];
    }
  }
  return callers;
}

// What a call shares with others; null where it is alone in calling it.
Computation* sharedBy(const Instruction& call, const CallerCounts& callers) {
  const bool isCall = call.opcode() == Opcode::Call || call.opcode() == Opcode::Fusion;
  if (!isCall || call.calledComputations().size() != 1) return nullptr;
  Computation* called = call.calledComputations()[0];
  const auto found = callers.find(called);
  return found != callers.end() && found->second > 1 && called->root() != nullptr ? called : nullptr;
}

bool canEndAt(const Computation& called, size_t operand) {
  const Instruction& root = *called.root();
  return operand < root.operandCount() && root.operand(operand)->shape() == root.shape();
}

}  // namespace

std::vector<MoveSite> splitCallsSites(const Module& module) {
  std::vector<MoveSite> sites;
  const CallerCounts callers = callersIn(module);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* call : computation->instructions()) {
      const Computation* shared = sharedBy(*call, callers);
      for (size_t i = 0; shared != nullptr && i < shared->root()->operandCount(); ++i) {
        if (canEndAt(*shared, i)) sites.push_back({call->id(), static_cast<int64_t>(i)});
      }
    }
  }
  return sites;
}

// The copy ends with an operand of what it ended with: else it would make the module no smaller.
bool splitCalls(Draft& draft, std::span<const MoveSite> at) {
  CallerCounts callers = callersIn(*draft.module);
  bool changed = false;
  for (const MoveSite& site : at) {
    Instruction* call = draft.module->instruction(site.instruction);
    Computation* shared = call == nullptr ? nullptr : sharedBy(*call, callers);
    if (shared == nullptr || !canEndAt(*shared, static_cast<size_t>(site.part))) continue;
    Computation* own = cloneComputation(*shared, shared);
    own->setRoot(own->root()->operand(static_cast<size_t>(site.part)));
    redirectCall(*call, shared, own);
    --callers[shared];
    changed = true;
  }
  return changed;
}

}  // namespace hilo
