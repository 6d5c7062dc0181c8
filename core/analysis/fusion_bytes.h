// What a fusion touches in memory.
#pragma once

#include "core/hlo/ir/instruction.h"

namespace hilo {

// Bytes the body reads of each parameter (a parameter that is only sliced counts the slices), of its
// constants with more than one element, and writes at its root (an updated slice counts the update alone).
int64_t fusionBytesAccessed(const Instruction& fusion);

// What XLA counts for reading a value as an operand: an array's bytes, a tuple's table of pointers.
int64_t operandReadBytes(Shape shape);

}  // namespace hilo
