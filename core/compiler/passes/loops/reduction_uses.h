// What becomes of an all-reduce or reduce-scatter in a loop's body, as far as that lets it leave the loop.
// Private to this folder.
#pragma once

#include <variant>

#include "core/compiler/passes/loops/uniform_values.h"

namespace hilo {

// Added to an element of what the loop carries, which nothing else reads.
struct AccumulatedReduction {
  std::vector<int64_t> elements;
  std::vector<int64_t> scattered;  // the dimension a reduce-scatter splits, in each element
};
// Stored slice by slice into an element that nothing in the loop reads.
struct StoredReduction {
  int64_t element = 0;
  std::vector<int64_t> offsets;  // of all iterations' slices together
  std::vector<int64_t> sizes;
};

struct ReductionUse {
  std::variant<std::monostate, AccumulatedReduction, StoredReduction> use;
  std::string reason;  // why there is none
};

// Where a dimension of what a convert, select or transpose is of is in its result.
int64_t dimensionAfter(const Instruction& user, int64_t dimension);

// `followsScatters`: reduce-scatters also through converts and transposes.
ReductionUse findReductionUse(const Instruction& reduction, const Instruction& loop,
                              const UniformValues& uniform, bool followsScatters);

}  // namespace hilo
