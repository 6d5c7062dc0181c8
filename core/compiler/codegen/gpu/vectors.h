// Elements side by side that a thread reads and writes with one instruction.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo::gpu {

inline constexpr int64_t kVectorBytes = 16;

// How many elements: a power of two that divides `size`, of at most kVectorBytes of the widest array that the
// instruction reads or writes. 1 where elements are complex numbers.
int64_t vectorLength(const Instruction& instruction, int64_t size);

}  // namespace hilo::gpu
