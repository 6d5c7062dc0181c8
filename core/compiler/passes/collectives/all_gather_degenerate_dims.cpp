#include "core/compiler/passes/collectives/all_gather_degenerate_dims.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool hasDegenerate(const Instruction& i) {
  if (i.opcode() != Opcode::AllGather || i.operandCount() != 1 || !i.shape().isArray() ||
      i.get<Attr::ConstrainLayout>().value_or(false) || !liesRowMajor(i.shape()) ||
      !liesRowMajor(i.operand(0)->shape()))
    return false;
  for (size_t d = 0; d < i.shape().rank(); ++d) {
    if (i.shape().dimension(d) == 1 && static_cast<int64_t>(d) != i.dimensions()[0]) return true;
  }
  return false;
}

std::vector<int64_t> sizesWithout(Shape shape, int64_t gathered) {
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) != 1 || static_cast<int64_t>(d) == gathered) sizes.push_back(shape.dimension(d));
  }
  return sizes;
}

Instruction* without(Instruction& gather) {
  const int64_t gathered = gather.dimensions()[0];
  int64_t place = 0;
  for (int64_t d = 0; d < gathered; ++d) place += gather.shape().dimension(static_cast<size_t>(d)) != 1;
  Instruction* operand = gather.operand(0);
  Instruction* slim = reshapeTo(operand, sizesWithout(operand->shape(), gathered), gather);
  Instruction* made = gather.parent().createLike(gather, {{slim}}, &gather);
  made->setShape(
      arrayLike(gather.shape(), gather.shape().elementType(), sizesWithout(gather.shape(), gathered)));
  made->set<Attr::Dimensions>(std::vector<int64_t>{place});
  return reshapedAs(made, gather.shape(), gather);
}

}  // namespace

Result<bool> removeAllGatherDegenerateDims(Module& module, PassContext& context) {
  return rewriteEach(module, context, "removed", hasDegenerate, without);
}

}  // namespace hilo
