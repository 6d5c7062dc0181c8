// A scatter as its arrays lie in memory.
#pragma once

#include "core/hlo/ir/instruction.h"

namespace hilo {

// Of one array, in front of the scatter. Window dimensions of the updates are transposed into the order of
// the operand's. Null where the scatter is left: batching dimensions, or places to write to that lie in
// another order than that of their dimensions.
Instruction* normalScatter(Instruction& scatter);

}  // namespace hilo
