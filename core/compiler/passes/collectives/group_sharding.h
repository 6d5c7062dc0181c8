// How what a group of collectives takes and gives is spread over devices.
#pragma once

#include <span>

#include "core/hlo/ir/module.h"

namespace hilo {

// Sets the shardings of a group's start, done and the tuple of its results from those of its operands and
// members, leaf by leaf; what has none is unknown. Nothing where no operand and no member has one.
void shardGroup(std::span<Instruction* const> members, std::span<Instruction* const> operands,
                Instruction& start, Instruction& done, Instruction& results);

}  // namespace hilo
