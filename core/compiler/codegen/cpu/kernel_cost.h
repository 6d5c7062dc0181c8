// What operations and kernels may cost.
#pragma once

#include "core/runtime/program/program.h"

namespace hilo {

// An element costs more than reading a value back from a near cache.
bool isCostly(Opcode opcode);
// An element is made of many elements of its operands.
bool isOfMany(Opcode opcode);

// Nanoseconds one thread may take: estimated by elements and the work on each.
int64_t kernelCostNs(const Instruction& instruction, int64_t elements);

}  // namespace hilo
