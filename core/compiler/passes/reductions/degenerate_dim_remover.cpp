#include "core/compiler/passes/reductions/degenerate_dim_remover.h"

#include <algorithm>

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

// One reduced dimension is kept at least: a reduction of nothing still applies its function once.
bool hasDegenerate(const Instruction& i) {
  if (!isPlainReduction(i)) return false;
  const auto sizes = i.operand(0)->shape().dimensions();
  const bool reducesMore =
      std::ranges::any_of(i.dimensions(), [&](int64_t d) { return sizes[static_cast<size_t>(d)] != 1; });
  return reducesMore && std::ranges::find(sizes, 1) != sizes.end();
}

Instruction* without(Instruction& i) {
  std::vector<DimGroup> groups;
  for (size_t d = 0; d < i.operand(0)->shape().rank(); ++d) {
    const int64_t size = i.operand(0)->shape().dimension(d);
    if (size != 1) groups.push_back({size, isReducedDim(i, d)});
  }
  return reduceGroups(i, groups);
}

}  // namespace

Result<bool> removeDegenerateReductionDims(Module& module, PassContext& context) {
  return rewriteEach(module, context, "removed", hasDegenerate, without);
}

}  // namespace hilo
