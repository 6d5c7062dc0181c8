// Asynchronous operations: a start, any number of updates, a done, each the first operand of the next.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// The start of the chain that `link` (async-start, -update or -done) is in; null when the way to it leaves
// the computation, as in a loop that carries an operation in flight.
const Instruction* asyncChainStart(const Instruction& link);
// The done; null when the chain is not finished in this computation.
const Instruction* asyncChainDone(const Instruction& link);
// The computation that runs meanwhile; null when it is not known here.
Computation* asyncWrappedComputation(const Instruction& link);
// The operation that runs: the wrapped computation's root. Null likewise.
const Instruction* asyncWrappedInstruction(const Instruction& link);
// Operands bound at the start and, in order, at the updates up to and including `link`.
std::vector<const Instruction*> asyncBoundOperands(const Instruction& link);

inline bool isAsyncLink(const Instruction& instruction) {
  return instruction.opcode() == Opcode::AsyncStart || instruction.opcode() == Opcode::AsyncUpdate ||
         instruction.opcode() == Opcode::AsyncDone;
}

}  // namespace hilo
