// What a kernel may cost, for sharing it among threads.
#pragma once

#include "core/runtime/program/program.h"

namespace hilo {

// Nanoseconds one thread may take: a rough guess, by elements and the work on each.
int64_t kernelCostNs(const Instruction& instruction, int64_t elements);

}  // namespace hilo
