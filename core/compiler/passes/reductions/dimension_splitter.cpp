#include "core/compiler/passes/reductions/dimension_splitter.h"

#include <algorithm>

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kSmall = 8;

int64_t largestDim(const Instruction& reduce) {
  return *std::ranges::max_element(reduce.dimensions(), {}, [&](int64_t d) {
    return reduce.operand(0)->shape().dimension(static_cast<size_t>(d));
  });
}

// Reduced and kept dimensions change more often than a kernel over rows or columns takes: not [kept, reduced,
// kept] and not [reduced, kept, reduced].
bool isScattered(const Instruction& reduce) {
  size_t changes = 0;
  const size_t rank = reduce.operand(0)->shape().rank();
  for (size_t d = 1; d < rank; ++d) changes += isReducedDim(reduce, d) != isReducedDim(reduce, d - 1);
  return changes > 2;
}

bool wantsSplit(const Instruction& i) {
  if (!isPlainReduction(i) || i.dimensions().size() < 2 || !isScattered(i) || !mayStartTwice(i)) return false;
  for (size_t d = 1; d < i.operand(0)->shape().rank(); ++d) {
    if (isReducedDim(i, d) && isReducedDim(i, d - 1)) return false;
  }
  return i.operand(0)->shape().dimension(static_cast<size_t>(largestDim(i))) > kSmall;
}

Instruction* inTwo(Instruction& reduce) {
  const std::vector<int64_t> largest = {largestDim(reduce)};
  std::vector<int64_t> rest;
  for (const int64_t d : reduce.dimensions()) {
    if (d != largest[0]) rest.push_back(d > largest[0] ? d - 1 : d);
  }
  Instruction* first = reduceOver(reducedArrays(reduce), largest, reduce);
  return reduceOver(resultsOf(first, reduce), rest, reduce);
}

}  // namespace

Result<bool> splitReductionDimensions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "split", wantsSplit, inTwo);
}

}  // namespace hilo
