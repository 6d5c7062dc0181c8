// What a kernel may cost, for sharing it among threads.
#pragma once

#include "core/hlo/ir/instruction.h"

namespace hilo {

// Nanoseconds one thread may take: estimated by elements and the work on each.
int64_t kernelCostNs(const Instruction& instruction, int64_t elements);

}  // namespace hilo
