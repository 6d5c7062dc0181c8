// Reductions over the same elements with other dimensions, of one array or several at once.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Arrays in row-major order, and results too: what the passes on dimensions of reductions take.
bool isPlainReduction(const Instruction& i);
// The same, with results in whatever order.
bool reducesRowMajor(const Instruction& i);
// The arrays that are reduced, without the initial values.
std::span<Instruction* const> reducedArrays(const Instruction& reduce);
// What a reduction gives for each array: itself, or the elements of its tuple.
std::vector<Instruction*> resultsOf(Instruction* reduce, Instruction& before);
// As `reduce` for other arrays, as many, of which `dims` are reduced: each result has its array's kind of
// layout, and the dimensions left.
Instruction* reduceOver(std::span<Instruction* const> arrays, std::span<const int64_t> dims,
                        Instruction& reduce);
// Neighbouring dimensions of the operand as one: of each group, from major to minor, its size and
// whether it is reduced.
struct DimGroup {
  int64_t size;
  bool isReduced;
};
// The reduction of the operand reshaped to the groups, reshaped to what it was.
Instruction* reduceGroups(Instruction& reduce, const std::vector<DimGroup>& groups);
// May start from its initial value more than once: that is the neutral element of a sum or a product, or
// another one of the values among which a least, greatest, common or any is sought; of several arrays, where
// each step takes all of one side or all of the other.
bool mayStartTwice(const Instruction& reduce);
bool isReducedDim(const Instruction& reduce, size_t dimension);

}  // namespace hilo
