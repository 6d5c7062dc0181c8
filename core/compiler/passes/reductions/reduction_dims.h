// A reduction over the same elements with other dimensions.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// One result, arrays in row-major order: what the passes on dimensions of reductions take.
bool isPlainReduction(const Instruction& i);
// Neighbouring dimensions of the operand as one: of each group, from major to minor, its size and
// whether it is reduced.
struct DimGroup {
  int64_t size;
  bool isReduced;
};
// The reduction of the operand reshaped to the groups, reshaped to what it was.
Instruction* reduceGroups(Instruction& reduce, const std::vector<DimGroup>& groups);
// May start from its initial value more than once: that is the neutral element of a sum or a product, or
// another one of the values among which a least, greatest, common or any is sought.
bool mayStartTwice(const Instruction& reduce);
bool isReducedDim(const Instruction& reduce, size_t dimension);

}  // namespace hilo
