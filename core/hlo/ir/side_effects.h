// Which instructions do something besides computing their value, so that they must neither be removed nor
// merged. Matches HloInstruction::HasSideEffect and HasSideEffectNoRecurse of XLA's hlo_instruction.cc. A
// collective's channel counts only outside SPMD programs; a module is one when its num_partitions is over 1,
// as XLA's parser has it.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Of the instruction itself. An opaque opcode has one: nothing is known of it.
bool hasOwnSideEffect(const Instruction& instruction);
// Of the instruction or anything in the computations it calls, each looked at once. The steps of an
// asynchronous operation stay together: all have the effect of what its start calls.
bool hasSideEffect(const Instruction& instruction);
bool hasSideEffect(const Computation& computation);

}  // namespace hilo
