// A top-k of so few that a GPU's threads keep them in registers.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// `topk` of real numbers of at most 64 bits, of 1 to 16 of lines of fewer than 2^31.
bool isOfFewBest(const Instruction& instruction);

}  // namespace hilo
