#include "core/compiler/passes/canonicalize/gather_expander.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/canonicalize/gather_loop.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

int64_t windowsOf(const Instruction& gather) {
  const Shape indices = gather.operand(1)->shape();
  const int64_t vectorDim = gather.get<Attr::IndexVectorDim>().value_or(0);
  int64_t windows = 1;
  for (size_t d = 0; d < indices.rank(); ++d) {
    if (static_cast<int64_t>(d) != vectorDim) windows = saturatingMultiply(windows, indices.dimension(d));
  }
  return windows;
}

// Whatever the indices are, they end up at 0.
bool isOfWholeArray(const Instruction& gather) {
  return std::ranges::equal(gather.get<Attr::SliceSizes>(), gather.operand(0)->shape().dimensions());
}

bool isExpanded(const Instruction& i, GatherMode mode) {
  const bool isGather = i.opcode() == Opcode::Gather && i.operandCount() == 2 && liesRowMajor(i.shape()) &&
                        liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape()) &&
                        i.shape().elementCount() > 0;
  if (!isGather || i.has(Attr::ControlPredecessors)) return false;
  return windowsOf(i) == 1 || isOfWholeArray(i) || (mode == GatherMode::All && canBeGatherLoop(i));
}

Instruction* asBroadcast(Instruction& gather) {
  const auto isGone = [&](size_t d) {
    const auto isIn = [&](std::span<const int64_t> dims) {
      return std::ranges::find(dims, static_cast<int64_t>(d)) != dims.end();
    };
    return isIn(gather.get<Attr::CollapsedSliceDims>()) || isIn(gather.get<Attr::OperandBatchingDims>());
  };
  const Shape array = gather.operand(0)->shape();
  std::vector<int64_t> window;
  for (size_t d = 0; d < array.rank(); ++d) {
    if (!isGone(d)) window.push_back(array.dimension(d));
  }
  return broadcastTo(reshapeTo(gather.operand(0), window, gather), gather.shape().dimensions(),
                     gather.get<Attr::OffsetDims>(), gather);
}

Instruction* asSlice(Instruction& gather) {
  const Shape array = gather.operand(0)->shape();
  const auto starts = gather.get<Attr::StartIndexMap>();
  const Shape scalar = arrayLike(gather.operand(1)->shape(), gather.operand(1)->shape().elementType(), {});
  std::vector<Instruction*> operands = {gather.operand(0)};
  for (size_t d = 0; d < array.rank(); ++d) {
    const auto place = std::ranges::find(starts, static_cast<int64_t>(d));
    operands.push_back(place == starts.end() ? algebra::makeSplat(gather, scalar, 0)
                                             : elementOf(gather.operand(1), place - starts.begin(), gather));
  }
  const auto sizes = gather.get<Attr::SliceSizes>();
  Instruction* slice = gather.parent().create(
      Opcode::DynamicSlice, arrayLike(array, array.elementType(), sizes), operands, {}, &gather);
  slice->set<Attr::DynamicSliceSizes>(sizes);
  return reshapedAs(slice, gather.shape(), gather);
}

}  // namespace

Result<bool> expandSimpleGathers(Module& module, PassContext& context, const GatherSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* gather : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isExpanded(*gather, settings.mode) || (gather->users().empty() && !gather->isRoot())) continue;
      if (!context.mayChange(*gather)) return changed;
      Instruction* made = isOfWholeArray(*gather)   ? asBroadcast(*gather)
                          : windowsOf(*gather) == 1 ? asSlice(*gather)
                                                    : gatherLoop(*gather);
      context.remark(*gather, "expanded", fmt::format("now %{}", made->name()));
      computation->replaceAllUses(gather, made);
      computation->remove(gather);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
