#include "core/analysis/saturating.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isIn(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// The broadcast value once more, to this shape along `dimensions`.
Instruction* broadcastAs(Instruction& i, Instruction* value, std::span<const int64_t> dimensions) {
  Instruction* made = i.parent().create(Opcode::Broadcast, i.shape(), {value}, {}, &i);
  made->set<Attr::Dimensions>(dimensions);
  return made;
}

// A part of a broadcast that takes all of what the broadcast value has.
Instruction* partOfBroadcast(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (broadcast.opcode() != Opcode::Broadcast || i.shape().isDynamic() || broadcast.shape().isDynamic())
    return nullptr;
  for (const int64_t d : broadcast.dimensions()) {
    const auto at = static_cast<size_t>(d);
    if (i.shape().dimension(at) != broadcast.shape().dimension(at)) return nullptr;
  }
  return broadcastAs(i, broadcast.operand(0), broadcast.dimensions());
}

// The part of what a broadcast has: a slice of it, whose ranges are still those of the whole.
Instruction* partToBroadcast(Instruction& i, std::vector<Instruction*> indices = {}) {
  const Instruction& broadcast = *i.operand(0);
  if (broadcast.opcode() != Opcode::Broadcast || i.shape().isDynamic() || broadcast.shape().isDynamic() ||
      broadcast.operand(0)->shape().rank() == 0 || !isPlainArray(broadcast.operand(0)->shape()))
    return nullptr;
  Instruction* source = broadcast.operand(0);
  std::vector<int64_t> sizes;
  for (const int64_t d : broadcast.dimensions()) sizes.push_back(i.shape().dimension(static_cast<size_t>(d)));
  indices.insert(indices.begin(), source);
  Instruction* part = i.parent().createLike(i, indices, &i);
  part->setShape(arrayLike(source->shape(), source->shape().elementType(), sizes));
  part->erase(Attr::Sharding);
  return part;
}

bool isReducedOnce(const Instruction& i) {
  return i.opcode() == Opcode::Reduce && i.operandCount() == 2 && i.shape().isArray() &&
         !i.shape().isDynamic();
}

std::optional<Opcode> appliedBy(const Instruction& i) {
  const Computation* applied = i.get<Attr::ToApply>();
  if (applied == nullptr || applied->instructionCount() != 3 || applied->root()->operandCount() != 2)
    return std::nullopt;
  return applied->root()->opcode();
}

// Elements may be combined in any order, and give the same bits.
bool isExact(const Instruction& i) {
  const auto opcode = appliedBy(i);
  if (opcode == Opcode::Maximum || opcode == Opcode::Minimum || opcode == Opcode::And || opcode == Opcode::Or)
    return true;
  return (opcode == Opcode::Add || opcode == Opcode::Multiply) &&
         isIntegral(i.operand(0)->shape().elementType());
}

// The start changes no result: 0 of a sum, 1 of a product.
bool startsNeutral(const Instruction& i) {
  const auto opcode = appliedBy(i);
  return (opcode == Opcode::Add && isAll(*i.operand(1), 0)) ||
         (opcode == Opcode::Multiply && isAll(*i.operand(1), 1));
}

// Where the range of a slice lies along one dimension of a pad.
enum class Lies : uint8_t { Within, InPadding, Across };
Lies placeOf(const SliceRange& range, const PaddingDimension& padding, int64_t size) {
  if (range.start >= padding.low && range.limit <= padding.low + size) return Lies::Within;
  return range.limit <= padding.low || range.start >= padding.low + size ? Lies::InPadding : Lies::Across;
}

}  // namespace

Instruction* bitcastConvertTwice(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (inner.opcode() != Opcode::BitcastConvert || i.shape().isDynamic()) return nullptr;
  const Shape source = inner.operand(0)->shape();
  if (source.rank() != i.shape().rank() || inner.shape().rank() != i.shape().rank()) return nullptr;
  return i.parent().createLike(i, {{inner.operand(0)}}, &i);
}

Instruction* reshapeOfScalarBroadcast(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (broadcast.opcode() != Opcode::Broadcast || !broadcast.operand(0)->shape().isScalar() ||
      i.shape().isDynamic())
    return nullptr;
  return broadcastAs(i, broadcast.operand(0), {});
}

Instruction* transposeOfBroadcast(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (broadcast.opcode() != Opcode::Broadcast || i.shape().isDynamic()) return nullptr;
  std::vector<int64_t> dimensions;
  for (const int64_t d : broadcast.dimensions())
    dimensions.push_back(std::ranges::find(i.dimensions(), d) - i.dimensions().begin());
  if (!std::ranges::is_sorted(dimensions)) return nullptr;
  return broadcastAs(i, broadcast.operand(0), dimensions);
}

Instruction* transposeIsReshape(Instruction& i) {
  if (i.shape().layout() != nullptr || i.operand(0)->shape().layout() != nullptr || i.shape().isDynamic() ||
      i.operand(0)->shape().isDynamic())
    return nullptr;
  std::vector<int64_t> moved;
  for (const int64_t d : i.dimensions()) {
    if (i.operand(0)->shape().dimension(static_cast<size_t>(d)) != 1) moved.push_back(d);
  }
  if (!std::ranges::is_sorted(moved)) return nullptr;
  return i.parent().create(Opcode::Reshape, i.shape(), {i.operand(0)}, {}, &i);
}

Instruction* transposeOfDot(Instruction& i) {
  const Instruction& dot = *i.operand(0);
  if (dot.opcode() != Opcode::Dot || dot.operandCount() != 2 || dot.users().size() != 1 ||
      i.shape().layout() != nullptr || i.shape().rank() != 2 || !dot.get<Attr::LhsBatchDims>().empty() ||
      dot.operand(0)->shape().rank() != 2 || dot.operand(1)->shape().rank() != 2 ||
      dot.has(Attr::SparsityConfig) || std::ranges::is_sorted(i.dimensions()))
    return nullptr;
  const auto precision = dot.get<Attr::OperandPrecision>();
  if (precision.size() == 2 && precision[0] != precision[1]) return nullptr;
  Instruction* made = i.parent().createLike(dot, {{dot.operand(1), dot.operand(0)}}, &i);
  made->set<Attr::LhsContractingDims>(dot.get<Attr::RhsContractingDims>());
  made->set<Attr::RhsContractingDims>(dot.get<Attr::LhsContractingDims>());
  made->setShape(i.shape());
  return made;
}

Instruction* sliceOfBroadcast(Instruction& i) {
  if (Instruction* whole = partOfBroadcast(i)) return whole;
  Instruction* part = partToBroadcast(i);
  if (part == nullptr) return nullptr;
  std::vector<SliceRange> ranges;
  for (const int64_t d : i.operand(0)->dimensions())
    ranges.push_back(i.get<Attr::Slice>()[static_cast<size_t>(d)]);
  part->set<Attr::Slice>(ranges);
  return broadcastAs(i, part, i.operand(0)->dimensions());
}

Instruction* dynamicSliceOfBroadcast(Instruction& i) {
  if (Instruction* whole = partOfBroadcast(i)) return whole;
  if (i.operandCount() != i.shape().rank() + 1) return nullptr;
  std::vector<Instruction*> operands;
  for (const int64_t d : i.operand(0)->dimensions())
    operands.push_back(i.operand(static_cast<size_t>(d) + 1));
  Instruction* part = partToBroadcast(i, operands);
  if (part == nullptr) return nullptr;
  part->set<Attr::DynamicSliceSizes>(part->shape().dimensions());
  return broadcastAs(i, part, i.operand(0)->dimensions());
}

Instruction* sliceOfPad(Instruction& i) {
  const Instruction& pad = *i.operand(0);
  if (pad.opcode() != Opcode::Pad || i.shape().isDynamic() || pad.operand(0)->shape().isDynamic() ||
      i.shape().elementCount() == 0)
    return nullptr;
  std::vector<SliceRange> ranges(i.get<Attr::Slice>().begin(), i.get<Attr::Slice>().end());
  bool isWithin = true, isOutside = false;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const PaddingDimension& padding = pad.get<Attr::Padding>()[d];
    if (padding.interior != 0 || padding.low < 0 || padding.high < 0) return nullptr;
    const Lies lies = placeOf(ranges[d], padding, pad.operand(0)->shape().dimension(d));
    isWithin &= lies == Lies::Within;
    isOutside |= lies == Lies::InPadding;
    ranges[d].start -= padding.low;
    ranges[d].limit -= padding.low;
  }
  if (isOutside) return broadcastAs(i, pad.operand(1), {});
  if (!isWithin) return nullptr;
  Instruction* made = i.parent().createLike(i, {{pad.operand(0)}}, &i);
  made->set<Attr::Slice>(ranges);
  return made;
}

Instruction* sliceOfReverse(Instruction& i) {
  const Instruction& reverse = *i.operand(0);
  if (reverse.opcode() != Opcode::Reverse || reverse.users().size() != 1 || i.shape().isDynamic() ||
      reverse.shape().isDynamic())
    return nullptr;
  std::vector<SliceRange> ranges(i.get<Attr::Slice>().begin(), i.get<Attr::Slice>().end());
  for (const int64_t d : reverse.dimensions()) {
    SliceRange& range = ranges[static_cast<size_t>(d)];
    const int64_t size = reverse.shape().dimension(static_cast<size_t>(d)),
                  taken = i.shape().dimension(static_cast<size_t>(d));
    if (taken == 0) return nullptr;
    const int64_t last = range.start + (taken - 1) * range.stride;
    range = {.start = size - 1 - last, .limit = size - range.start, .stride = range.stride};
  }
  Instruction* slice = i.parent().createLike(i, {{reverse.operand(0)}}, &i);
  slice->set<Attr::Slice>(ranges);
  Instruction* made = i.parent().createLike(reverse, {{slice}}, &i);
  made->setShape(i.shape());
  return made;
}

Instruction* dynamicUpdateSliceNothing(Instruction& i) {
  return i.operand(1)->shape().elementCount() == 0 && i.operand(0)->shape() == i.shape() ? i.operand(0)
                                                                                         : nullptr;
}

Instruction* concatenateSlices(Instruction& i) {
  const auto along = static_cast<size_t>(i.dimensions()[0]);
  const Instruction& first = *i.operand(0);
  if (first.opcode() != Opcode::Slice || i.operandCount() < 2) return nullptr;
  std::vector<SliceRange> whole(first.get<Attr::Slice>().begin(), first.get<Attr::Slice>().end());
  for (const Instruction* piece : i.operands().subspan(1)) {
    if (piece->opcode() != Opcode::Slice || piece->operand(0) != first.operand(0)) return nullptr;
    for (size_t d = 0; d < whole.size(); ++d) {
      const SliceRange& range = piece->get<Attr::Slice>()[d];
      if (range.stride != 1 || whole[d].stride != 1) return nullptr;
      if (d != along && (range.start != whole[d].start || range.limit != whole[d].limit)) return nullptr;
      if (d == along && range.start != whole[d].limit) return nullptr;
    }
    whole[along].limit = piece->get<Attr::Slice>()[along].limit;
  }
  Instruction* made = i.parent().createLike(first, {{first.operand(0)}}, &i);
  made->setShape(i.shape());
  made->set<Attr::Slice>(whole);
  return made;
}

Instruction* concatenateSameBroadcast(Instruction& i) {
  const Instruction& first = *i.operand(0);
  if (first.opcode() != Opcode::Broadcast || i.operandCount() < 2 ||
      isIn(first.dimensions(), i.dimensions()[0]))
    return nullptr;
  for (const Instruction* piece : i.operands()) {
    if (piece->opcode() != Opcode::Broadcast || piece->operand(0) != first.operand(0) ||
        !std::ranges::equal(piece->dimensions(), first.dimensions()))
      return nullptr;
  }
  return broadcastAs(i, first.operand(0), first.dimensions());
}

Instruction* padOfNothing(Instruction& i) {
  if (i.operand(0)->shape().elementCount() != 0 || i.shape().isDynamic() || i.operand(0)->shape().isDynamic())
    return nullptr;
  return broadcastAs(i, i.operand(1), {});
}

Instruction* padNegative(Instruction& i) {
  std::vector<PaddingDimension> kept(i.get<Attr::Padding>().begin(), i.get<Attr::Padding>().end());
  std::vector<SliceRange> ranges;
  std::vector<int64_t> sizes;
  bool hasNegative = false;
  for (size_t d = 0; d < kept.size(); ++d) {
    const int64_t low = std::min<int64_t>(kept[d].low, 0), high = std::min<int64_t>(kept[d].high, 0);
    hasNegative |= low < 0 || high < 0;
    kept[d].low -= low;
    kept[d].high -= high;
    sizes.push_back(i.shape().dimension(d) - low - high);
    ranges.push_back({.start = -low, .limit = sizes.back() + high});
  }
  if (!hasNegative || i.shape().isDynamic() || i.operand(0)->shape().isDynamic()) return nullptr;
  const Shape padded = Shape::array(i.shape().elementType(), sizes);
  Instruction* pad = i.parent().createLike(i, i.operands(), &i);
  pad->setShape(i.shape().layout() == nullptr ? padded : padded.withLayout(i.shape().layout()));
  pad->set<Attr::Padding>(kept);
  Instruction* slice = i.parent().create(Opcode::Slice, i.shape(), {pad}, {}, &i);
  slice->set<Attr::Slice>(ranges);
  return slice;
}

// Not once layouts are assigned: then one reduction may have been made two for the sake of kernels.
Instruction* bothReductions(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (!isReducedOnce(i) || !isReducedOnce(inner) || appliedBy(i) != appliedBy(inner) || !mayStartTwice(i) ||
      inner.operand(1) != i.operand(1) || inner.operand(0)->shape().layout() != nullptr)
    return nullptr;
  std::vector<int64_t> dims(inner.dimensions().begin(), inner.dimensions().end());
  int64_t place = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(inner.operand(0)->shape().rank()); ++d) {
    if (isIn(inner.dimensions(), d)) continue;
    if (isIn(i.dimensions(), place++)) dims.push_back(d);
  }
  std::ranges::sort(dims);
  Instruction* made = i.parent().createLike(i, {{inner.operand(0), i.operand(1)}}, &i);
  made->set<Attr::Dimensions>(dims);
  return made;
}

Instruction* reduceReduce(Instruction& i) {
  return isReducedOnce(i) && isExact(i) ? bothReductions(i) : nullptr;
}
Instruction* sumOfSum(Instruction& i) { return appliedBy(i) == Opcode::Add ? bothReductions(i) : nullptr; }

Instruction* reduceOfBroadcast(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (!isReducedOnce(i) || broadcast.opcode() != Opcode::Broadcast ||
      !broadcast.operand(0)->shape().isScalar() || broadcast.shape().elementCount() == 0 ||
      i.shape().elementType() != broadcast.shape().elementType())
    return nullptr;
  int64_t count = 1;
  for (const int64_t d : i.dimensions())
    count = saturatingMultiply(count, broadcast.shape().dimension(static_cast<size_t>(d)));
  Instruction* value = broadcastAs(i, broadcast.operand(0), {});
  if (appliedBy(i) == Opcode::Add && isIntegral(i.shape().elementType()) && isAll(*i.operand(1), 0))
    return count > std::numeric_limits<int8_t>::max()
               ? nullptr
               : i.parent().create(Opcode::Multiply, i.shape(),
                                   {value, makeSplat(i, i.shape(), static_cast<double>(count))}, {}, &i);
  return nullptr;
}

Instruction* reduceSizeOne(Instruction& i) {
  if (!isReducedOnce(i) || !startsNeutral(i) || i.dimensions().empty() ||
      i.operand(0)->shape().elementType() != i.shape().elementType())
    return nullptr;
  if (i.operand(0)->shape().elementCount() != i.shape().elementCount() || i.shape().elementCount() == 0)
    return nullptr;
  const Shape from = i.operand(0)->shape();
  if (from.isDynamic()) return nullptr;
  const bool isRowMajor = (from.layout() == nullptr || from.layout()->isDescending()) &&
                          (i.shape().layout() == nullptr || i.shape().layout()->isDescending());
  return isRowMajor ? i.parent().create(Opcode::Reshape, i.shape(), {i.operand(0)}, {}, &i) : nullptr;
}

Instruction* reduceNoElements(Instruction& i) {
  if (!isReducedOnce(i) || i.operand(0)->shape().elementCount() != 0 || i.operand(0)->shape().isDynamic())
    return nullptr;
  return broadcastAs(i, i.operand(1), {});
}

Instruction* reduceWindowOne(Instruction& i) {
  if (i.operandCount() != 2 || i.operand(0)->shape() != i.shape() || !startsNeutral(i)) return nullptr;
  const Window& window = *i.get<Attr::Window>();
  const bool isOne = std::ranges::all_of(window.dimensions, [](const WindowDimension& d) {
    return d.size == 1 && d.stride == 1 && d.paddingLow == 0 && d.paddingHigh == 0 && d.baseDilation == 1;
  });
  return isOne ? i.operand(0) : nullptr;
}

Instruction* sortOfOne(Instruction& i) {
  const Shape shape = i.operand(0)->shape();
  if (shape.isDynamic() || shape.dimension(static_cast<size_t>(i.dimensions()[0])) > 1) return nullptr;
  if (i.operandCount() == 1) return i.operand(0)->shape() == i.shape() ? i.operand(0) : nullptr;
  return i.parent().create(Opcode::Tuple, i.shape(), i.operands(), {}, &i);
}

Instruction* dotOfNothing(Instruction& i) {
  if (i.shape().isDynamic() || i.operandCount() != 2 || i.operand(0)->shape().isDynamic()) return nullptr;
  const bool isEmpty = i.operand(0)->shape().elementCount() == 0 || i.operand(1)->shape().elementCount() == 0;
  return isEmpty ? makeSplat(i, i.shape(), 0) : nullptr;
}

}  // namespace hilo::algebra
