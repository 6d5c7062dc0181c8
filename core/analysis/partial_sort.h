// Sorts of which only the first elements of each line are used, such as the k largest with their places:
// those can be chosen without sorting the others.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct PartialSort {
  struct Slice {
    Instruction* slice;
    size_t array;  // of the sort's operands
  };
  Instruction* sort = nullptr;
  int64_t kept = 0;           // elements of each line
  std::vector<Slice> slices;  // all that is used of it
};

// nullopt when more is used of the sort than the same first elements of each line, or most of them.
std::optional<PartialSort> partialSort(Instruction& sort);

// The one that makes up a whole computation, whose result is the slices in their order.
std::optional<PartialSort> partialSortOf(const Computation& computation);

}  // namespace hilo
