// Which instructions do something besides computing their value, so that they must neither be removed nor
// merged. Matches HloInstruction::HasSideEffect of XLA's hlo_instruction.cc; a channel-sensitive collective
// counts when the module is not partitioned by SPMD (num_partitions is 1 or not given).
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Looks through called computations. An opaque opcode has a side effect: nothing is known of it.
bool hasSideEffect(const Instruction& instruction);
bool hasSideEffect(const Computation& computation);

}  // namespace hilo
