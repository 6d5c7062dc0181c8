#include "core/compiler/passes/reductions/dimension_grouper.h"

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

std::vector<DimGroup> groupsOf(const Instruction& reduce) {
  std::vector<DimGroup> groups;
  for (size_t d = 0; d < reduce.operand(0)->shape().rank(); ++d) {
    const int64_t size = reduce.operand(0)->shape().dimension(d);
    const bool isReduced = isReducedDim(reduce, d);
    if (!groups.empty() && isReduced && groups.back().isReduced) {
      groups.back().size *= size;
    } else {
      groups.push_back({size, isReduced});
    }
  }
  return groups;
}

bool hasNeighbours(const Instruction& i) {
  return isPlainReduction(i) && !i.dimensions().empty() && groupsOf(i).size() < i.operand(0)->shape().rank();
}

Instruction* grouped(Instruction& i) { return reduceGroups(i, groupsOf(i)); }

}  // namespace

Result<bool> groupReductionDims(Module& module, PassContext& context) {
  return rewriteEach(module, context, "grouped", hasNeighbours, grouped);
}

}  // namespace hilo
