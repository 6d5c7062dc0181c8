// Slices and reversals of reshapes, gathers of what is padded, concatenates within concatenates.
#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/place_of_dimensions.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

int64_t elementsBehind(Shape shape, size_t d) {
  int64_t count = 1;
  for (size_t k = d + 1; k < shape.rank(); ++k) count *= shape.dimension(k);
  return count;
}

bool isReshape(const Instruction& i) {
  return i.opcode() == Opcode::Reshape && i.users().size() == 1 && liesRowMajor(i.shape()) &&
         liesRowMajor(i.operand(0)->shape()) && i.shape().elementCount() > 0;
}

}  // namespace

// A slice of whole rows along the first dimension, where the reshaped array has one whose rows divide these.
Instruction* sliceOfReshape(Instruction& i) {
  const Instruction& reshape = *i.operand(0);
  if (!isReshape(reshape) || !liesRowMajor(i.shape()) || i.shape().elementCount() == 0) return nullptr;
  const auto ranges = i.get<Attr::Slice>();
  for (size_t d = 0; d < ranges.size(); ++d) {
    const bool isWhole = ranges[d].start == 0 && ranges[d].limit == reshape.shape().dimension(d);
    if (ranges[d].stride != 1 || (d > 0 && !isWhole)) return nullptr;
  }
  const Shape source = reshape.operand(0)->shape();
  size_t first = 0;
  while (first < source.rank() && source.dimension(first) == 1) ++first;
  if (first == source.rank() || reshape.shape().dimension(0) == 1) return nullptr;
  const int64_t row = elementsBehind(source, first), taken = elementsBehind(reshape.shape(), 0);
  if ((ranges[0].start * taken) % row != 0 || (ranges[0].limit * taken) % row != 0) return nullptr;
  std::vector<SliceRange> whole;
  for (const int64_t size : source.dimensions()) whole.push_back({.start = 0, .limit = size});
  whole[first] = {.start = ranges[0].start * taken / row, .limit = ranges[0].limit * taken / row};
  std::vector<int64_t> sizes = listOf(source.dimensions());
  sizes[first] = whole[first].limit - whole[first].start;
  Instruction* slice = i.parent().create(Opcode::Slice, arrayLike(source, source.elementType(), sizes),
                                         {reshape.operand(0)}, {}, &i);
  slice->set<Attr::Slice>(whole);
  return madeView(i, slice, i.shape());
}

// Only where the reshape adds dimensions of size 1.
Instruction* reverseOfReshape(Instruction& i) {
  const Instruction& reshape = *i.operand(0);
  if (!isReshape(reshape) || reshape.shape().rank() <= reshape.operand(0)->shape().rank()) return nullptr;
  std::vector<int64_t> dimensions;
  for (const int64_t d : i.dimensions()) {
    if (reshape.shape().dimension(static_cast<size_t>(d)) == 1) continue;
    const auto place =
        placeAfterReshape(reshape.shape(), static_cast<size_t>(d), reshape.operand(0)->shape());
    if (!place) return nullptr;
    dimensions.push_back(*place);
  }
  Instruction* reverse =
      i.parent().create(Opcode::Reverse, reshape.operand(0)->shape(), {reshape.operand(0)}, {}, &i);
  reverse->set<Attr::Dimensions>(dimensions);
  return madeView(i, reverse, i.shape());
}

Instruction* concatenateInConcatenate(Instruction& i) {
  std::vector<Instruction*> pieces;
  for (Instruction* piece : i.operands()) {
    const bool isNested = piece->opcode() == Opcode::Concatenate && piece->users().size() == 1 &&
                          piece->dimensions()[0] == i.dimensions()[0];
    if (isNested) {
      pieces.insert(pieces.end(), piece->operands().begin(), piece->operands().end());
    } else {
      pieces.push_back(piece);
    }
  }
  return pieces.size() == i.operandCount() ? nullptr : i.parent().createLike(i, pieces, &i);
}

Instruction* gatherOfOneElement(Instruction& i) {
  Instruction* operand = i.operand(0);
  if (operand->shape().isDynamic() || i.shape().isDynamic() || operand->shape().elementCount() != 1 ||
      !liesRowMajor(operand->shape()) || !liesRowMajor(i.shape()))
    return nullptr;
  Instruction* scalar = reshapeTo(operand, std::vector<int64_t>{}, i);
  return madeBroadcast(i, scalar, i.shape());
}

// Only padding of dimensions that the gather takes whole.
Instruction* gatherOfPad(Instruction& i) {
  const Instruction& pad = *i.operand(0);
  const auto whole = i.get<Attr::SliceSizes>(), offsets = i.get<Attr::OffsetDims>();
  if (pad.opcode() != Opcode::Pad || pad.users().size() != 1 || i.shape().isDynamic() ||
      pad.shape().isDynamic() || !liesRowMajor(pad.shape()) || !liesRowMajor(i.shape()))
    return nullptr;
  const auto gone = [&](int64_t d) {
    return contains(i.get<Attr::CollapsedSliceDims>(), d) || contains(i.get<Attr::OperandBatchingDims>(), d);
  };
  std::vector<PaddingDimension> padding(i.shape().rank());
  std::vector<int64_t> sizes = listOf(whole), shape = listOf(i.shape().dimensions());
  size_t window = 0;
  for (size_t d = 0; d < pad.shape().rank(); ++d) {
    const PaddingDimension& of = pad.get<Attr::Padding>()[d];
    const bool isGone = gone(static_cast<int64_t>(d)), isPadded = of != PaddingDimension{};
    const bool isWhole =
        whole[d] == pad.shape().dimension(d) && of.low >= 0 && of.high >= 0 && of.interior == 0;
    if (isPadded && (isGone || !isWhole)) return nullptr;
    if (isGone) continue;
    const auto at = static_cast<size_t>(offsets[window++]);
    if (!isPadded) continue;
    padding[at] = of;
    sizes[d] = shape[at] = pad.operand(0)->shape().dimension(d);
  }
  if (std::ranges::all_of(padding, [](const PaddingDimension& p) { return p == PaddingDimension{}; }))
    return nullptr;
  Instruction* gather = i.parent().createLike(i, {{pad.operand(0), i.operand(1)}}, &i);
  gather->set<Attr::SliceSizes>(sizes);
  gather->setShape(arrayLike(i.shape(), i.shape().elementType(), shape));
  Instruction* made = i.parent().create(Opcode::Pad, i.shape(), {gather, pad.operand(1)}, {}, &i);
  made->set<Attr::Padding>(padding);
  return made;
}

// A reshape that leaves the padded dimensions whole.
Instruction* reshapeOfPad(Instruction& i) {
  const Instruction& pad = *i.operand(0);
  const bool isGathered = std::ranges::all_of(i.users(), [&](const Instruction* user) {
    return user->opcode() == Opcode::Gather && user->operand(0) == &i;
  });
  if (pad.opcode() != Opcode::Pad || pad.users().size() != 1 || !isGathered || i.users().empty() ||
      !liesRowMajor(i.shape()) || !liesRowMajor(pad.shape()))
    return nullptr;
  std::vector<PaddingDimension> padding(i.shape().rank());
  std::vector<int64_t> sizes = listOf(i.shape().dimensions());
  for (size_t d = 0; d < pad.shape().rank(); ++d) {
    if (pad.get<Attr::Padding>()[d] == PaddingDimension{}) continue;
    const auto place = placeAfterReshape(pad.shape(), d, i.shape());
    if (!place) return nullptr;
    padding[static_cast<size_t>(*place)] = pad.get<Attr::Padding>()[d];
    sizes[static_cast<size_t>(*place)] = pad.operand(0)->shape().dimension(d);
  }
  Instruction* inner = madeView(i, pad.operand(0), arrayLike(i.shape(), i.shape().elementType(), sizes));
  Instruction* made = i.parent().create(Opcode::Pad, i.shape(), {inner, pad.operand(1)}, {}, &i);
  made->set<Attr::Padding>(padding);
  return made;
}

}  // namespace hilo::algebra
