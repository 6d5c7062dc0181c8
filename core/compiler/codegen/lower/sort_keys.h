// What a sort's comparator orders by, where that is keys: numbers computed from one element of each array,
// the same way on both sides, the first that differs deciding. That is `a < b`, also of bits made of the
// elements and of NaN and zeros made equal first, and `a0 < b0 || (a0 == b0 && a1 < b1)`.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct SortKey {
  const Instruction* value = nullptr;  // of the comparator: what it compares, of one side
  ElementType type = ElementType::F32;
  bool descending = false;
  bool totalOrder = true;  // of floats; else NaN is in no order and zeros are equal
};

// The first deciding first; none when the comparator is something else.
std::vector<SortKey> sortKeysOf(const Computation& comparator);

}  // namespace hilo
