// Updates of parts, and what is added to or chosen against them.
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

// What an update of `value` at the update's place would replace.
Instruction* replacedPart(Instruction& at, const Instruction& update, Instruction* value) {
  std::vector<Instruction*> operands{value};
  operands.insert(operands.end(), update.operands().begin() + 2, update.operands().end());
  const Shape part =
      arrayLike(value->shape(), value->shape().elementType(), update.operand(1)->shape().dimensions());
  Instruction* slice = at.parent().create(Opcode::DynamicSlice, part, operands, {}, &at);
  slice->set<Attr::DynamicSliceSizes>(listOf(part.dimensions()));
  return slice;
}

Instruction* updated(Instruction& at, const Instruction& update, Instruction* value, Instruction* part) {
  std::vector<Instruction*> operands(update.operands().begin(), update.operands().end());
  operands[0] = value;
  operands[1] = part;
  return at.parent().createLike(update, operands, &at);
}

bool isPlainUpdate(const Instruction& i) {
  return i.opcode() == Opcode::DynamicUpdateSlice && i.operandCount() == i.shape().rank() + 2 &&
         !i.shape().isDynamic() && i.users().size() == 1;
}

}  // namespace

Instruction* selectOfUpdate(Instruction& i) {
  for (const size_t side : {1, 2}) {
    Instruction &update = *i.operand(side), *other = i.operand(3 - side);
    if (!isPlainUpdate(update) || update.operand(0) != other || i.operand(0)->shape().isScalar() ||
        update.shape() != i.shape())
      continue;
    Instruction* chosen = replacedPart(i, update, i.operand(0));
    Instruction *part = update.operand(1), *kept = replacedPart(i, update, other);
    Instruction* select = i.parent().create(
        Opcode::Select, part->shape(), {chosen, side == 1 ? part : kept, side == 1 ? kept : part}, {}, &i);
    return updated(i, update, other, select);
  }
  return nullptr;
}

Instruction* addUpdateOfZeros(Instruction& i) {
  for (const size_t side : {0, 1}) {
    Instruction &update = *i.operand(side), *other = i.operand(1 - side);
    if (!isPlainUpdate(update) || !isAll(*update.operand(0), 0) || update.shape() != i.shape() ||
        isAll(*other, 0))
      continue;
    Instruction* part = madeBinary(i, Opcode::Add, replacedPart(i, update, other), update.operand(1));
    return updated(i, update, other, part);
  }
  return nullptr;
}

// Only where dimensions of size 1 come and go; each index goes along.
Instruction* reshapeOfUpdate(Instruction& i) {
  const Instruction& update = *i.operand(0);
  if (!isPlainUpdate(update) || !isAll(*update.operand(0), 0) || !liesRowMajor(i.shape()) ||
      !liesRowMajor(update.shape()) || !liesRowMajor(update.operand(1)->shape()))
    return nullptr;
  const Shape from = update.shape();
  std::vector<Instruction*> operands{nullptr, nullptr};
  std::vector<int64_t> sizes;
  size_t d = 0;
  for (const int64_t size : i.shape().dimensions()) {
    while (d < from.rank() && from.dimension(d) == 1) ++d;
    const bool isNew = size == 1;
    if (!isNew && (d == from.rank() || from.dimension(d) != size)) return nullptr;
    sizes.push_back(isNew ? 1 : update.operand(1)->shape().dimension(d));
    operands.push_back(isNew ? makeSplat(i, update.operand(2)->shape(), 0) : update.operand(d + 2));
    d += static_cast<size_t>(!isNew);
  }
  if (from.rank() == 0 || update.operand(1)->shape().elementCount() == 0) return nullptr;
  operands[0] = madeView(i, update.operand(0), i.shape());
  operands[1] = madeView(i, update.operand(1), arrayLike(i.shape(), i.shape().elementType(), sizes));
  return i.parent().create(Opcode::DynamicUpdateSlice, i.shape(), operands, {}, &i);
}

Instruction* dynamicSliceOfReshape(Instruction& i) {
  const Instruction& reshape = *i.operand(0);
  if (reshape.opcode() != Opcode::Reshape || reshape.users().size() != 1 || !liesRowMajor(i.shape()) ||
      !liesRowMajor(reshape.operand(0)->shape()) || i.operandCount() != reshape.shape().rank() + 1)
    return nullptr;
  const Shape from = reshape.shape(), to = reshape.operand(0)->shape();
  std::vector<Instruction*> operands{reshape.operand(0)};
  std::vector<int64_t> sizes;
  size_t d = 0;
  for (const int64_t size : to.dimensions()) {
    while (d < from.rank() && from.dimension(d) == 1) ++d;
    const bool isNew = size == 1;
    if (!isNew && (d == from.rank() || from.dimension(d) != size)) return nullptr;
    sizes.push_back(isNew ? 1 : i.shape().dimension(d));
    operands.push_back(isNew ? makeSplat(i, i.operand(1)->shape(), 0) : i.operand(d + 1));
    d += static_cast<size_t>(!isNew);
  }
  Instruction* slice = i.parent().create(
      Opcode::DynamicSlice, arrayLike(i.shape(), i.shape().elementType(), sizes), operands, {}, &i);
  slice->set<Attr::DynamicSliceSizes>(sizes);
  return madeView(i, slice, i.shape());
}

}  // namespace hilo::algebra
