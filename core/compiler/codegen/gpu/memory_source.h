// What an operand inside a fusion is mostly read from, and how that lies in memory.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo::gpu {

struct MemorySource {
  ElementType type;              // of the array that is read
  std::vector<int64_t> strides;  // in elements, of each dimension of the operand; one element apart is 1
};

// Conversions, transposes and work on elements are looked through, to the largest array they are made of;
// where it is made in another way, it is told as if it lay in memory itself.
MemorySource memorySourceOf(const Instruction& operand);

}  // namespace hilo::gpu
