#include "core/compiler/passes/collectives/all_gather_major_dimension.h"

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isCopyOfArray(const Instruction& i) {
  return i.opcode() == Opcode::Copy && i.shape().isArray() && i.shape().layout() != nullptr &&
         i.operand(0)->shape().layout() != nullptr && i.shape().rank() > 0;
}

// copy(all-gather(copy)), with one user each.
bool isCopyOfGather(const Instruction& copy) {
  if (!isCopyOfArray(copy)) return false;
  const Instruction& gather = *copy.operand(0);
  return gather.opcode() == Opcode::AllGather && gather.operandCount() == 1 && gather.users().size() == 1 &&
         !gather.has(Attr::ControlPredecessors) && isCopyOfArray(*gather.operand(0)) &&
         gather.operand(0)->users().size() == 1 && gather.operand(0)->shape().elementCount() > 0;
}

// The shape with a dimension `at` of `size`, which lies right outside dimension `inner` of the shape. That is
// its number in the shape as it was.
Shape withDimensionOutside(Shape shape, size_t at, int64_t size, size_t inner) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at), size);
  Layout layout = *shape.layout();
  layout.minorToMajor.clear();
  for (const int64_t d : shape.layout()->minorToMajor) {
    layout.minorToMajor.push_back(d + (d >= static_cast<int64_t>(at) ? 1 : 0));
    if (d == static_cast<int64_t>(inner)) layout.minorToMajor.push_back(static_cast<int64_t>(at));
  }
  return Shape::array(shape.elementType(), sizes, &layout);
}

Instruction* gatheredThenCopied(Instruction& copy) {
  const Instruction& gather = *copy.operand(0);
  Instruction* value = gather.operand(0)->operand(0);
  const auto gathered = static_cast<size_t>(gather.dimensions()[0]);
  const int64_t parts = gather.shape().dimension(gathered) / value->shape().dimension(gathered);
  const auto major = static_cast<size_t>(value->shape().layout()->minorToMajor.back());

  std::vector<int64_t> sizes(value->shape().dimensions().begin(), value->shape().dimensions().end());
  sizes[major] *= parts;
  const Shape whole = Shape::array(value->shape().elementType(), sizes, value->shape().layout());
  Instruction* all = createAmongSame(gather, Opcode::AllGather, whole, value, copy);
  const int64_t majorOnly[] = {static_cast<int64_t>(major)};
  all->set<Attr::Dimensions>(majorOnly);

  Instruction* split = bitcastTo(all, withDimensionOutside(value->shape(), major, parts, major), copy);
  // As the result lies, seen as parts and what they are parts of.
  const Shape part =
      Shape::array(copy.shape().elementType(), value->shape().dimensions(), copy.shape().layout());
  Instruction* moved = copy.parent().createLike(copy, {{split}}, &copy);
  moved->setShape(withDimensionOutside(part, major, parts, gathered));
  return bitcastTo(moved, copy.shape(), copy);
}

}  // namespace

Result<bool> gatherMajorDimension(Module& module, PassContext& context) {
  return rewriteEach(module, context, "gathered", isCopyOfGather, gatheredThenCopied);
}

}  // namespace hilo
