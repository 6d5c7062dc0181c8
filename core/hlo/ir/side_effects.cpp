#include "core/hlo/ir/side_effects.h"

#include "core/hlo/ir/op_facts.h"

#include <absl/container/flat_hash_set.h>

namespace hilo {
namespace {

bool channelMatters(const Instruction& instruction) {
  return instruction.has(Attr::ChannelId) && instruction.module().partitionCount() <= 1;
}

using Computations = absl::InlinedVector<Computation*, 2>;

// Whether any of `pending`, or what they call in turn, holds an instruction with a side effect of its own.
bool anyHasSideEffect(Computations pending) {
  absl::flat_hash_set<const Computation*> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    const Computation* computation = pending.back();
    pending.pop_back();
    for (const Instruction* instruction : computation->instructions()) {
      if (hasOwnSideEffect(*instruction)) return true;
      for (Computation* called : instruction->calledComputations()) {
        if (seen.insert(called).second) pending.push_back(called);
      }
    }
  }
  return false;
}

// Of the steps of an asynchronous operation the first, which alone calls what it does; else the instruction.
const Instruction& startOf(const Instruction& instruction) {
  const Instruction* at = &instruction;
  while ((at->opcode() == Opcode::AsyncUpdate || at->opcode() == Opcode::AsyncDone) && at->operandCount() > 0)
    at = at->operand(0);
  return *at;
}

}  // namespace

bool hasOwnSideEffect(const Instruction& instruction) {
  if (hasFact(instruction.opcode(), OpFact::SideEffect)) return true;
  switch (instruction.opcode()) {
    case Opcode::AllToAll:
    case Opcode::AllGather:
    case Opcode::AllReduce:
    case Opcode::ReduceScatter:
      return instruction.get<Attr::ConstrainLayout>().value_or(false) || channelMatters(instruction);
    case Opcode::CollectivePermute:
      return channelMatters(instruction);
    case Opcode::CustomCall:
      return instruction.get<Attr::CustomCallHasSideEffect>().value_or(false);
    default:
      return false;
  }
}

bool hasSideEffect(const Instruction& instruction) {
  if (hasOwnSideEffect(instruction)) return true;
  const Instruction& start = startOf(instruction);
  if (hasOwnSideEffect(start)) return true;
  Computations called = start.calledComputations();
  return !called.empty() && anyHasSideEffect(std::move(called));
}

bool hasSideEffect(const Computation& computation) {
  return anyHasSideEffect({const_cast<Computation*>(&computation)});
}

}  // namespace hilo
