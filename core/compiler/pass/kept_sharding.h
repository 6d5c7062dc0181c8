// Shardings where one instruction takes the place of another.
#pragma once

#include "core/hlo/ir/instruction.h"

namespace hilo {

// False where both have a sharding and they differ: the replacement would then lose where the value was
// wanted. XLA's HloComputation::ReplaceInstruction refuses so with preserve_sharding.
bool keepsSharding(const Instruction& replaced, const Instruction& by);
// `by` takes the sharding of `replaced`, unless it has one.
void takeSharding(const Instruction& replaced, Instruction& by);

}  // namespace hilo
