// The indices of a gather or scatter as a list of index vectors.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct IndexList {
  Instruction* vectors = nullptr;   // [count, length]
  std::vector<int64_t> dimensions;  // of the indices without the vectors' own: what count is the product of
};

// In front of `before`. `vectorDim`: along which an index vector lies; the rank: each index is a vector.
IndexList listOfIndices(Instruction* indices, int64_t vectorDim, Instruction& before);

}  // namespace hilo
