#include "core/compiler/passes/simplify/gather_simplifier.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/index_list.h"

namespace hilo {
namespace {

bool isSimplified(const Instruction& gather) {
  const auto offsets = gather.get<Attr::OffsetDims>();
  return gather.operand(0)->shape().rank() > 0 && gather.operand(1)->shape().rank() == 2 &&
         gather.get<Attr::IndexVectorDim>().value_or(0) == 1 &&
         gather.get<Attr::CollapsedSliceDims>().empty() && offsets.front() == 1 &&
         offsets.back() == static_cast<int64_t>(offsets.size());
}

bool wantsForm(const Instruction& i) {
  return i.opcode() == Opcode::Gather && i.operandCount() == 2 &&
         i.get<Attr::OperandBatchingDims>().empty() && liesRowMajor(i.shape()) &&
         liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape()) && !isSimplified(i);
}

// The gather of the listed windows: [window, size...].
Instruction* gatherOfList(Instruction& gather, Instruction* list) {
  const auto windowSizes = gather.get<Attr::SliceSizes>();
  std::vector<int64_t> sizes = {list->shape().dimension(0)}, offsets;
  for (const int64_t size : windowSizes) {
    offsets.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(size);
  }
  Instruction* made = gather.parent().createLike(gather, {{gather.operand(0), list}}, &gather);
  made->setShape(arrayLike(gather.shape(), gather.shape().elementType(), sizes));
  made->set<Attr::OffsetDims>(offsets);
  made->set<Attr::CollapsedSliceDims>(std::vector<int64_t>{});
  made->set<Attr::IndexVectorDim>(1);
  return made;
}

Instruction* simplified(Instruction& gather) {
  const auto taken = gather.get<Attr::SliceSizes>();
  const bool takesNothing = std::ranges::find(taken, 0) != taken.end();
  if (takesNothing || gather.shape().elementCount() == 0)
    return algebra::makeSplat(gather, gather.shape(), 0);
  if (gather.operand(0)->shape().rank() == 0)
    return broadcastTo(gather.operand(0), gather.shape().dimensions(), {}, gather);
  const IndexList list =
      listOfIndices(gather.operand(1), gather.get<Attr::IndexVectorDim>().value_or(0), gather);
  Instruction* windows = gatherOfList(gather, list.vectors);
  // [windows..., sizes that are kept], then in the order asked for.
  std::vector<int64_t> sizes = list.dimensions, order;
  const auto collapsed = gather.get<Attr::CollapsedSliceDims>(), offsets = gather.get<Attr::OffsetDims>();
  for (size_t d = 0; d < gather.get<Attr::SliceSizes>().size(); ++d) {
    if (std::ranges::find(collapsed, static_cast<int64_t>(d)) == collapsed.end())
      sizes.push_back(gather.get<Attr::SliceSizes>()[d]);
  }
  int64_t window = 0, offset = static_cast<int64_t>(list.dimensions.size());
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    order.push_back(std::ranges::find(offsets, d) == offsets.end() ? window++ : offset++);
  return transposeBy(reshapeTo(windows, sizes, gather), order, gather);
}

}  // namespace

Result<bool> simplifyGathers(Module& module, PassContext& context) {
  return rewriteEach(module, context, "simplified", wantsForm, simplified);
}

}  // namespace hilo
