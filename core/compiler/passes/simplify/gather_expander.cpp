#include "core/compiler/passes/simplify/gather_expander.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/constants.h"

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

bool isSimple(const Instruction& i) {
  return i.opcode() == Opcode::Gather && i.operandCount() == 2 && liesRowMajor(i.shape()) &&
         liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape()) && windowsOf(i) == 1 &&
         i.shape().elementCount() > 0;
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

Result<bool> expandSimpleGathers(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", isSimple, asSlice);
}

}  // namespace hilo
