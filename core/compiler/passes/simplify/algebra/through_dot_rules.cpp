// What moves through a dot to where it is cheaper: to its other operand, or from its result to both.
#include <algorithm>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isPlain(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && !i.has(Attr::SparsityConfig) &&
         liesRowMajor(i.shape()) && liesRowMajor(i.operand(0)->shape()) &&
         liesRowMajor(i.operand(1)->shape());
}

std::vector<int64_t> sizesOf(const Instruction& i) { return listOf(i.shape().dimensions()); }

Instruction* withSizes(Instruction& at, const Instruction& like, Instruction* operand,
                       std::span<const int64_t> sizes) {
  Instruction* made = at.parent().createLike(like, {{operand}}, &at);
  made->setShape(arrayLike(operand->shape(), like.shape().elementType(), sizes));
  made->erase(Attr::Sharding);
  return made;
}

Instruction* withOperands(Instruction& dot, size_t side, Instruction* own, Instruction* other) {
  return dot.parent().createLike(dot, side == 0 ? std::vector{own, other} : std::vector{other, own}, &dot);
}

// The sum along some dimensions, from 0.
Instruction* sumOf(Instruction& at, Instruction* value, std::span<const int64_t> dims) {
  const ElementType type = value->shape().elementType();
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < value->shape().rank(); ++d) {
    if (!contains(dims, static_cast<int64_t>(d))) sizes.push_back(value->shape().dimension(d));
  }
  Instruction* zero = makeSplat(at, arrayLike(value->shape(), type, {}), 0);
  Instruction* sum =
      at.parent().create(Opcode::Reduce, arrayLike(value->shape(), type, sizes), {value, zero}, {}, &at);
  sum->set<Attr::Dimensions>(dims);
  sum->set<Attr::ToApply>(additionOf(at.module(), type, &at.parent()));
  return sum;
}

// The numbers of dimensions where these are gone.
std::vector<int64_t> without(std::span<const int64_t> dims, std::span<const int64_t> gone) {
  std::vector<int64_t> left;
  for (const int64_t d : dims) {
    if (!contains(gone, d)) left.push_back(d - std::ranges::count_if(gone, [&](int64_t g) { return g < d; }));
  }
  return left;
}

}  // namespace

// Along contracted dimensions the other operand may be reversed instead.
Instruction* dotOfReverse(Instruction& i) {
  if (!isPlain(i)) return nullptr;
  for (const size_t side : {0, 1}) {
    Instruction &reverse = *i.operand(side), &other = *i.operand(1 - side);
    if (reverse.opcode() != Opcode::Reverse || other.opcode() == Opcode::Reverse ||
        reverse.shape().elementCount() <= other.shape().elementCount())
      continue;
    const DotSide own = dotSide(i, side), their = dotSide(i, 1 - side);
    std::vector<int64_t> kept = listOf(reverse.dimensions()), moved;
    for (size_t k = 0; k < own.contracting.size(); ++k) {
      if (std::erase(kept, own.contracting[k]) != 0) moved.push_back(their.contracting[k]);
    }
    if (moved.empty()) continue;
    Instruction* rest = reverse.operand(0);
    if (!kept.empty()) {
      rest = i.parent().createLike(reverse, {{rest}}, &i);
      rest->set<Attr::Dimensions>(kept);
    }
    Instruction* mirrored = i.parent().create(Opcode::Reverse, other.shape(), {&other}, {}, &i);
    mirrored->set<Attr::Dimensions>(moved);
    return withOperands(i, side, rest, mirrored);
  }
  return nullptr;
}

// Zeros around what is contracted add nothing: those numbers of the other operand are not read.
Instruction* dotOfPad(Instruction& i) {
  if (!isPlain(i)) return nullptr;
  for (const size_t side : {0, 1}) {
    const Instruction& pad = *i.operand(side);
    Instruction* other = i.operand(1 - side);
    if (pad.opcode() != Opcode::Pad || !isAll(*pad.operand(1), 0)) continue;
    const DotSide own = dotSide(i, side), their = dotSide(i, 1 - side);
    std::vector<PaddingDimension> padding(pad.get<Attr::Padding>().begin(), pad.get<Attr::Padding>().end());
    std::vector<int64_t> sizes = sizesOf(pad), cut = sizesOf(*other);
    std::vector<SliceRange> ranges;
    for (const int64_t size : cut) ranges.push_back({.start = 0, .limit = size});
    bool moves = false;
    for (size_t k = 0; k < own.contracting.size(); ++k) {
      const auto d = static_cast<size_t>(own.contracting[k]), o = static_cast<size_t>(their.contracting[k]);
      const PaddingDimension by = padding[d];
      if (by == PaddingDimension{} || by.low < 0 || by.high < 0 || by.interior != 0) continue;
      padding[d] = {};
      sizes[d] = pad.operand(0)->shape().dimension(d);
      cut[o] = sizes[d];
      ranges[o] = {.start = by.low, .limit = by.low + sizes[d]};
      moves = true;
    }
    if (!moves) continue;
    Instruction* rest = i.parent().createLike(pad, pad.operands(), &i);
    rest->setShape(arrayLike(pad.shape(), pad.shape().elementType(), sizes));
    rest->set<Attr::Padding>(padding);
    rest->erase(Attr::Sharding);
    Instruction* slice = i.parent().create(
        Opcode::Slice, arrayLike(other->shape(), other->shape().elementType(), cut), {other}, {}, &i);
    slice->set<Attr::Slice>(ranges);
    return withOperands(i, side, rest, slice);
  }
  return nullptr;
}

// Of equal numbers along what is contracted one is enough, times the sum of the others.
Instruction* dotOfBroadcast(Instruction& i) {
  if (!isPlain(i)) return nullptr;
  for (const size_t side : {0, 1}) {
    const Instruction& broadcast = *i.operand(side);
    if (broadcast.opcode() != Opcode::Broadcast) continue;
    const DotSide own = dotSide(i, side), their = dotSide(i, 1 - side);
    std::vector<int64_t> gone, summed;
    for (size_t k = 0; k < own.contracting.size(); ++k) {
      if (contains(broadcast.dimensions(), own.contracting[k])) continue;
      gone.push_back(own.contracting[k]);
      summed.push_back(their.contracting[k]);
    }
    if (gone.empty()) continue;
    std::vector<int64_t> sizes;
    for (size_t d = 0; d < broadcast.shape().rank(); ++d) {
      if (!contains(gone, static_cast<int64_t>(d))) sizes.push_back(broadcast.shape().dimension(d));
    }
    Instruction* narrow = broadcastTo(broadcast.operand(0), sizes, without(broadcast.dimensions(), gone), i);
    std::ranges::sort(summed);
    Instruction* made = withOperands(i, side, narrow, sumOf(i, i.operand(1 - side), summed));
    std::vector<int64_t> left, right;
    for (size_t k = 0; k < own.contracting.size(); ++k) {
      if (contains(gone, own.contracting[k])) continue;
      left.push_back(own.contracting[k]);
      right.push_back(their.contracting[k]);
    }
    setDotSide(*made, side, without(own.batch, gone), without(left, gone));
    setDotSide(*made, 1 - side, without(their.batch, summed), without(right, summed));
    return made;
  }
  return nullptr;
}

Instruction* sliceOfDot(Instruction& i) {
  const Instruction& dot = *i.operand(0);
  if (!isPlain(dot) || dot.users().size() != 1 || !liesRowMajor(i.shape())) return nullptr;
  const size_t batch = dotSide(dot, 0).batch.size();
  size_t place = batch;
  std::vector<Instruction*> operands;
  for (const size_t side : {0, 1}) {
    const DotSide of = dotSide(dot, side);
    std::vector<int64_t> sizes = sizesOf(*dot.operand(side));
    std::vector<SliceRange> ranges;
    for (const int64_t size : sizes) ranges.push_back({.start = 0, .limit = size});
    const auto take = [&](int64_t d, size_t from) {
      ranges[static_cast<size_t>(d)] = i.get<Attr::Slice>()[from];
      sizes[static_cast<size_t>(d)] = i.shape().dimension(from);
    };
    for (size_t k = 0; k < batch; ++k) take(of.batch[k], k);
    for (const int64_t d : of.free) take(d, place++);
    Instruction* operand = dot.operand(side);
    if (sizes != sizesOf(*operand)) {
      operand = withSizes(i, i, operand, sizes);
      operand->set<Attr::Slice>(ranges);
    }
    operands.push_back(operand);
  }
  Instruction* made = i.parent().createLike(dot, operands, &i);
  made->setShape(i.shape());
  return made;
}

// Only along dimensions that one operand has alone.
Instruction* reduceOfDot(Instruction& i) {
  const Instruction& dot = *i.operand(0);
  if (i.operandCount() != 2 || !isPlain(dot) || dot.users().size() != 1 || !isAll(*i.operand(1), 0) ||
      combinerOf(i) != Opcode::Add || !liesRowMajor(i.shape()) ||
      dot.operand(0)->shape().elementType() != i.shape().elementType() ||
      dot.operand(1)->shape().elementType() != i.shape().elementType())
    return nullptr;
  const DotSide sides[] = {dotSide(dot, 0), dotSide(dot, 1)};
  const size_t batch = sides[0].batch.size();
  if (i.dimensions().empty() ||
      std::ranges::any_of(i.dimensions(), [&](int64_t d) { return d < static_cast<int64_t>(batch); }))
    return nullptr;
  std::vector<int64_t> summed[2];
  size_t place = batch;
  for (const size_t side : {0, 1}) {
    for (const int64_t d : sides[side].free) {
      if (contains(i.dimensions(), static_cast<int64_t>(place++))) summed[side].push_back(d);
    }
  }
  std::vector<Instruction*> operands;
  for (const size_t side : {0, 1})
    operands.push_back(summed[side].empty() ? dot.operand(side) : sumOf(i, dot.operand(side), summed[side]));
  Instruction* made = i.parent().createLike(dot, operands, &i);
  for (const size_t side : {0, 1})
    setDotSide(*made, side, without(sides[side].batch, summed[side]),
               without(sides[side].contracting, summed[side]));
  made->setShape(i.shape());
  return made;
}

}  // namespace hilo::algebra
