// Slices, pads and reversals: where elements come from and go.
#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

Instruction* reversed(Instruction& before, Instruction* value, std::span<const int64_t> dimensions) {
  if (dimensions.empty()) return value;
  Instruction* made = before.parent().create(Opcode::Reverse, value->shape(), {value}, {}, &before);
  made->set<Attr::Dimensions>(dimensions);
  return made;
}

// The scalar that every element of the value is; null where there is none.
Instruction* broadcastScalar(Instruction* value) {
  const bool isOne = value->opcode() == Opcode::Broadcast && value->operand(0)->shape().isScalar();
  return isOne ? value->operand(0) : nullptr;
}

// Zero in place of indices along dimensions that are taken whole; null where there are none.
Instruction* withTrivialIndices(Instruction& i, Shape whole, Shape part, size_t firstIndex) {
  std::vector<Instruction*> operands(i.operands().begin(), i.operands().end());
  bool changes = false;
  if (operands.size() != whole.rank() + firstIndex || whole.isDynamic()) return nullptr;
  for (size_t d = 0; d < whole.rank(); ++d) {
    Instruction*& index = operands[d + firstIndex];
    if (whole.dimension(d) != part.dimension(d) || index->opcode() == Opcode::Constant) continue;
    index = makeSplat(i, index->shape(), 0);
    changes = true;
  }
  return changes ? i.parent().createLike(i, operands, &i) : nullptr;
}

}  // namespace

Instruction* reverseOfReverse(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (inner.opcode() != Opcode::Reverse || inner.shape() != i.shape()) return nullptr;
  std::vector<int64_t> once;
  for (int64_t d = 0; d < static_cast<int64_t>(i.shape().rank()); ++d) {
    const auto isIn = [&](std::span<const int64_t> dims) { return std::ranges::find(dims, d) != dims.end(); };
    if (isIn(i.dimensions()) != isIn(inner.dimensions())) once.push_back(d);
  }
  return reversed(i, inner.operand(0), once);
}

Instruction* reverseOfConstantWork(Instruction& i) {
  const Instruction& work = *i.operand(0);
  if (!isElementwise(work.opcode()) || work.operandCount() != 2 || work.users().size() != 1 ||
      work.shape() != i.shape())
    return nullptr;
  for (const size_t side : {0, 1}) {
    const Instruction* scalar = broadcastScalar(work.operand(side));
    Instruction* other = work.operand(1 - side);
    if (scalar == nullptr || scalar->opcode() != Opcode::Constant || broadcastScalar(other) != nullptr)
      continue;
    std::vector<Instruction*> operands(2, work.operand(side));
    operands[1 - side] = reversed(i, other, i.dimensions());
    return i.parent().createLike(work, operands, &i);
  }
  return nullptr;
}

Instruction* padTrivialInterior(Instruction& i) {
  std::vector<PaddingDimension> padding(i.get<Attr::Padding>().begin(), i.get<Attr::Padding>().end());
  bool changes = false;
  for (size_t d = 0; d < padding.size(); ++d) {
    if (padding[d].interior == 0 || i.operand(0)->shape().dimension(d) > 1) continue;
    padding[d].interior = 0;
    changes = true;
  }
  if (!changes) return nullptr;
  Instruction* made = i.parent().createLike(i, i.operands(), &i);
  made->set<Attr::Padding>(padding);
  return made;
}

Instruction* sliceRedundantStrides(Instruction& i) {
  std::vector<SliceRange> ranges(i.get<Attr::Slice>().begin(), i.get<Attr::Slice>().end());
  bool changes = false;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const int64_t size = i.shape().dimension(d);
    if (ranges[d].stride == 1 || size == 0) continue;
    const int64_t stride = size == 1 ? 1 : ranges[d].stride;
    const SliceRange tight{ranges[d].start, ranges[d].start + (size - 1) * stride + 1, stride};
    changes |= tight != ranges[d];
    ranges[d] = tight;
  }
  if (!changes) return nullptr;
  Instruction* made = i.parent().createLike(i, i.operands(), &i);
  made->set<Attr::Slice>(ranges);
  return made;
}

Instruction* sliceOfSeveralPieces(Instruction& i) {
  Instruction& concatenate = *i.operand(0);
  if (concatenate.opcode() != Opcode::Concatenate || concatenate.users().size() != 1) return nullptr;
  const auto along = static_cast<size_t>(concatenate.dimensions()[0]);
  std::vector<SliceRange> ranges(i.get<Attr::Slice>().begin(), i.get<Attr::Slice>().end());
  std::vector<Instruction*> pieces;
  int64_t offset = 0, first = 0, size = 0;
  for (Instruction* piece : concatenate.operands()) {
    const int64_t length = piece->shape().dimension(along);
    if (ranges[along].start < offset + length && ranges[along].limit > offset) {
      if (pieces.empty()) first = offset;
      pieces.push_back(piece);
      size += length;
    }
    offset += length;
  }
  if (pieces.size() < 2 || pieces.size() == concatenate.operandCount()) return nullptr;
  std::vector<int64_t> sizes(concatenate.shape().dimensions().begin(),
                             concatenate.shape().dimensions().end());
  sizes[along] = size;
  Instruction* shorter = i.parent().createLike(concatenate, pieces, &i);
  shorter->setShape(Shape::array(i.shape().elementType(), sizes, concatenate.shape().layout()));
  ranges[along].start -= first;
  ranges[along].limit -= first;
  Instruction* made = i.parent().createLike(i, {{shorter}}, &i);
  made->set<Attr::Slice>(ranges);
  return made;
}

Instruction* dynamicSliceTrivialIndices(Instruction& i) {
  return withTrivialIndices(i, i.operand(0)->shape(), i.shape(), 1);
}

Instruction* dynamicUpdateSliceTrivialIndices(Instruction& i) {
  return withTrivialIndices(i, i.shape(), i.operand(1)->shape(), 2);
}

Instruction* dynamicSliceOfTranspose(Instruction& i) {
  Instruction& transpose = *i.operand(0);
  if (transpose.opcode() != Opcode::Transpose || transpose.users().size() != 1 || !liesRowMajor(i.shape()) ||
      !liesRowMajor(transpose.operand(0)->shape()) || i.operandCount() != i.shape().rank() + 1)
    return nullptr;
  const auto order = transpose.dimensions();
  std::vector<int64_t> sizes(order.size());
  std::vector<Instruction*> operands(order.size() + 1, transpose.operand(0));
  for (size_t d = 0; d < order.size(); ++d) {
    const auto from = static_cast<size_t>(order[d]);
    sizes[from] = i.shape().dimension(d);
    operands[from + 1] = i.operand(d + 1);
  }
  Instruction* slice = i.parent().createLike(i, operands, &i);
  slice->setShape(arrayLike(i.shape(), i.shape().elementType(), sizes));
  slice->set<Attr::DynamicSliceSizes>(sizes);
  return transposeBy(slice, order, i);
}

// Comes from the host or goes there, perhaps in another shape: then it must stay an update.
bool isOffloaded(const Instruction* value) {
  while (value->opcode() == Opcode::Reshape || value->opcode() == Opcode::Bitcast) value = value->operand(0);
  return value->opcode() == Opcode::CustomCall && value->get<Attr::CustomCallTarget>() == "MoveToHost";
}

Instruction* dynamicUpdateOfBroadcast(Instruction& i) {
  Instruction* scalar = broadcastScalar(i.operand(0));
  const Shape part = i.operand(1)->shape();
  if (scalar == nullptr || i.shape().isDynamic() || part.isDynamic() || part.elementCount() == 0 ||
      i.operandCount() != i.shape().rank() + 2 || isOffloaded(i.operand(1)))
    return nullptr;
  std::vector<PaddingDimension> padding;
  for (size_t d = 0; d < i.shape().rank(); ++d) {
    const auto index = scalarInteger(*i.operand(d + 2));
    const int64_t room = i.shape().dimension(d) - part.dimension(d);
    if (!index) return nullptr;
    const int64_t low = std::clamp<int64_t>(*index, 0, room);
    padding.push_back({.low = low, .high = room - low});
  }
  Instruction* made = i.parent().create(Opcode::Pad, i.shape(), {i.operand(1), scalar}, {}, &i);
  made->set<Attr::Padding>(padding);
  return made;
}

Instruction* concatenateWithBroadcast(Instruction& i) {
  if (i.operandCount() != 2 || i.shape().isDynamic()) return nullptr;
  const auto along = static_cast<size_t>(i.dimensions()[0]);
  for (const size_t side : {0, 1}) {
    Instruction* scalar = broadcastScalar(i.operand(side));
    if (scalar == nullptr || broadcastScalar(i.operand(1 - side)) != nullptr) continue;
    const int64_t size = i.operand(side)->shape().dimension(along);
    std::vector<PaddingDimension> padding(i.shape().rank());
    (side == 0 ? padding[along].low : padding[along].high) = size;
    Instruction* made = i.parent().create(Opcode::Pad, i.shape(), {i.operand(1 - side), scalar}, {}, &i);
    made->set<Attr::Padding>(padding);
    return made;
  }
  return nullptr;
}

}  // namespace hilo::algebra
