// What moves elements: padding goes behind what is real.
#include "core/hlo/expand/dynamic_expansion.h"

namespace hilo {
namespace {

Instruction* dynamicSlice(const DynamicExpansion& e, Instruction* from, Shape shape,
                          std::vector<Instruction*> starts) {
  starts.insert(starts.begin(), from);
  Instruction* slice = e.add(Opcode::DynamicSlice, shape, starts);
  slice->set<Attr::DynamicSliceSizes>(shape.dimensions());
  return slice;
}

Instruction* padded(const DynamicExpansion& e, Instruction* value, size_t dimension, int64_t high) {
  const Shape from = value->shape();
  std::vector<int64_t> sizes(from.dimensions().begin(), from.dimensions().end());
  sizes[dimension] += high;
  std::vector<PaddingDimension> padding(from.rank());
  padding[dimension].high = high;
  Instruction* wide = e.add(Opcode::Pad, Shape::array(from.elementType(), sizes, from.layout()),
                            {value, e.zero(from.elementType())});
  wide->set<Attr::Padding>(padding);
  return wide;
}

}  // namespace

// Each operand where the real elements of the one before end: over its padding.
Result<Instruction*> padConcatenate(DynamicExpansion& e) {
  const auto along = static_cast<size_t>(e.call().dimensions()[0]);
  RealSizes sizes = e.sizesOf(0);
  std::vector<RealSizes> own;
  bool isMoved = false;
  std::vector<Instruction*> wholes;
  for (size_t n = 0; n < e.operandCount(); ++n) {
    own.push_back(e.sizesOf(n));
    wholes.push_back(e.whole(n));
    if (wholes[n]->shape().elementType() != e.shape().elementType()) return e.refuse("joins several types");
    isMoved |= own[n][along] != nullptr && n + 1 < e.operandCount();
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == nullptr) sizes[d] = own[n][d];
    }
  }
  Instruction* joined = e.again(wholes);
  std::vector<Instruction*> starts(sizes.size(), e.number(0));
  for (size_t n = 0; n < e.operandCount(); ++n) {
    if (isMoved && n > 0) {
      std::vector<Instruction*> operands = {joined, wholes[n]};
      operands.insert(operands.end(), starts.begin(), starts.end());
      joined = e.add(Opcode::DynamicUpdateSlice, joined->shape(), operands);
    }
    starts[along] = e.plus(starts[along], e.size(own[n], e.operand(n)->shape(), along));
  }
  if (sizes[along] != nullptr) sizes[along] = starts[along];
  return e.give(joined, sizes);
}

Result<Instruction*> padSlice(DynamicExpansion& e) {
  RealSizes sizes = e.sizesOf(0);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == nullptr) continue;
    const SliceRange range = e.call().get<Attr::Slice>()[d];
    if (e.shape().dimension(d) == 1 && e.operand(0)->shape().dimension(d) != 1)
      return e.refuse("takes one element, which may be none");
    Instruction* end = e.binary(Opcode::Minimum, sizes[d], e.number(range.limit));
    sizes[d] = e.dividedUp(e.atLeast(e.minus(end, e.number(range.start)), 0), range.stride);
  }
  return e.give(e.again({e.whole(0)}), sizes);
}

// Padding is what is padded with.
Result<Instruction*> padPad(DynamicExpansion& e) {
  RealSizes sizes = e.sizesOf(0);
  Instruction* value = e.whole(0);
  if (value->shape().elementType() != e.operand(1)->shape().elementType())
    return e.refuse("pads with another type");
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == nullptr) continue;
    const PaddingDimension padding = e.call().get<Attr::Padding>()[d];
    value = e.filled(value, d, sizes[d], e.operand(1));
    Instruction* between = e.times(e.atLeast(e.minus(sizes[d], e.number(1)), 0), e.number(padding.interior));
    sizes[d] = e.atLeast(e.plus(e.plus(sizes[d], between), e.number(padding.low + padding.high)), 0);
  }
  return e.give(e.again({value, e.operand(1)}), sizes);
}

// What is real stands last then.
Result<Instruction*> padReverse(DynamicExpansion& e) {
  const RealSizes sizes = e.sizesOf(0);
  Instruction* value = e.again({e.whole(0)});
  const Shape shape = value->shape();
  for (const int64_t dimension : e.call().dimensions()) {
    const auto d = static_cast<size_t>(dimension);
    if (sizes[d] == nullptr) continue;
    std::vector<Instruction*> starts(shape.rank(), e.number(0));
    starts[d] = e.minus(e.number(shape.dimension(d)), sizes[d]);
    value = dynamicSlice(e, padded(e, value, d, shape.dimension(d)), shape, std::move(starts));
  }
  return e.give(value, sizes);
}

namespace {

// Start indices that leave `size` elements to what is real, in the form of one scalar a dimension.
Result<std::vector<Instruction*>> fitStarts(const DynamicExpansion& e, size_t first, const RealSizes& within,
                                            std::span<const int64_t> taken) {
  std::vector<Instruction*> starts(e.call().operands().begin() + static_cast<ptrdiff_t>(first),
                                   e.call().operands().end());
  if (starts.size() != taken.size() || (!starts.empty() && starts[0]->shape().rank() != 0))
    return e.refuse("begins at a vector");
  for (size_t d = 0; d < taken.size(); ++d) {
    if (within[d] == nullptr) continue;
    const ElementType type = starts[d]->shape().elementType();
    if (elementBits(type) < 32) return e.refuse("begins at a narrow integer");
    Instruction* last = e.convert(e.atLeast(e.minus(within[d], e.number(taken[d])), 0), type);
    starts[d] = e.binary(Opcode::Minimum, starts[d], last);
  }
  return starts;
}

}  // namespace

// Whole dimensions are as long as they really are; of others so many elements are taken that there are.
Result<Instruction*> padDynamicSlice(DynamicExpansion& e) {
  RealSizes sizes = e.sizesOf(0), within = sizes;
  const Shape from = e.operand(0)->shape();
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool isWhole = e.shape().dimension(d) == from.dimension(d);
    (isWhole ? within : sizes)[d] = nullptr;
  }
  TRY(std::vector<Instruction*> operands, fitStarts(e, 1, within, e.shape().dimensions()));
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != nullptr) operands[d] = e.zero(operands[d]->shape().elementType());
  }
  operands.insert(operands.begin(), e.whole(0));
  return e.give(e.again(operands), sizes);
}

Result<Instruction*> padDynamicUpdateSlice(DynamicExpansion& e) {
  const RealSizes sizes = e.sizesOf(0);
  const Shape update = e.operand(1)->shape();
  if (update.isDynamic()) return e.refuse("by an array of any size");
  for (size_t n = 2; n < e.operandCount(); ++n) {
    if (e.operand(n)->shape().isDynamic()) return e.refuse("begins at a vector");
  }
  TRY(std::vector<Instruction*> operands, fitStarts(e, 2, sizes, update.dimensions()));
  operands.insert(operands.begin(), {e.whole(0), e.operand(1)});
  return e.give(e.again(operands), sizes);
}

namespace {

struct DimensionGroup {
  size_t from, fromEnd, to, toEnd;  // dimensions [from, fromEnd) become [to, toEnd)
};

// The smallest groups of dimensions that become each other.
std::vector<DimensionGroup> groupsOf(Shape from, Shape to) {
  std::vector<DimensionGroup> groups;
  DimensionGroup group{};
  while (group.from < from.rank() || group.to < to.rank()) {
    int64_t a = 1, b = 1;
    const auto takeFrom = [&] { a *= from.dimension(group.fromEnd++); };
    const auto takeTo = [&] { b *= to.dimension(group.toEnd++); };
    group.fromEnd = group.from;
    group.toEnd = group.to;
    if (group.from < from.rank()) takeFrom();
    if (group.to < to.rank()) takeTo();
    while (a != b) {
      if (a < b ? group.fromEnd == from.rank() : group.toEnd == to.rank()) break;
      a < b ? takeFrom() : takeTo();
    }
    groups.push_back(group);
    group = {.from = group.fromEnd, .fromEnd = 0, .to = group.toEnd, .toEnd = 0};
  }
  return groups;
}

// The one dynamic dimension of [first, end), or none.
Result<std::optional<size_t>> theDynamic(const DynamicExpansion& e, Shape shape, size_t first, size_t end) {
  std::optional<size_t> found;
  for (size_t d = first; d < end; ++d) {
    if (!shape.isDynamicDimension(d)) continue;
    if (found) return e.refuse("has two dimensions of any size in one");
    found = d;
  }
  return found;
}

int64_t elementsBut(Shape shape, size_t first, size_t end, size_t one) {
  int64_t count = 1;
  for (size_t d = first; d < end; ++d) count *= d == one ? 1 : shape.dimension(d);
  return count;
}

}  // namespace

// Real elements in row-major order become the result's. In each group of dimensions one of the result's is as
// long as the others leave it.
Result<Instruction*> padReshape(DynamicExpansion& e) {
  const Shape from = e.operand(0)->shape(), to = e.shape();
  constexpr int64_t kMost = int64_t{1} << 48;
  if (from.elementCount() == 0 || from.elementCount() > kMost) return e.refuse("has no bound");
  const RealSizes sizes = e.sizesOf(0);
  RealSizes given(to.rank());
  for (const DimensionGroup& group : groupsOf(from, to)) {
    TRY(const auto was, theDynamic(e, from, group.from, group.fromEnd));
    TRY(const auto becomes, theDynamic(e, to, group.to, group.toEnd));
    if (!was) continue;
    if (!becomes) return e.refuse("gives one too, and its shape does not say so");
    // n of `was` times the others is that of `becomes` times the others.
    const int64_t rest = elementsBut(from, group.from, group.fromEnd, *was);
    const int64_t others = elementsBut(to, group.to, group.toEnd, *becomes);
    Instruction* count = rest == 1 ? sizes[*was] : e.times(sizes[*was], e.number(rest));
    given[*becomes] = others == 1 ? count : e.binary(Opcode::Divide, count, e.number(others));
  }
  std::vector<Instruction*> operands = {e.operand(0)};
  for (size_t d = 0; d < to.rank(); ++d) operands.push_back(e.size(given, to, d));
  return e.add(Opcode::DynamicReshape, to, operands);
}

}  // namespace hilo
