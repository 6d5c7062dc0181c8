#include "core/compiler/passes/dots/dot_pair.h"

#include <algorithm>

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

// What a dimension of the other operand, or of the result, is: the dimension of the shared array that it goes
// with, or a free one of the other operand, counted from kFree on.
using Label = int64_t;
constexpr Label kFree = 1000;

std::vector<int64_t> sorted(std::vector<int64_t> values) {
  std::ranges::sort(values);
  return values;
}

// An operand of a dot as it is before transposes, and which of its dimensions the dot takes for what.
struct Source {
  Instruction* value;
  DotSide dims;
};

Source sourceOf(const Instruction& dot, size_t side) {
  Source of{.value = dot.operand(side), .dims = dotSide(dot, side)};
  for (; of.value != beforeTransposes(of.value); of.value = of.value->operand(0)) {
    for (auto* dims : {&of.dims.batch, &of.dims.free, &of.dims.contracting}) {
      for (int64_t& d : *dims) d = of.value->dimensions()[static_cast<size_t>(d)];
    }
  }
  return of;
}

// One dot of a pair.
struct Half {
  Half(const Instruction& of, size_t side)
      : dot(of), shared(side), sharedSource(sourceOf(of, side)), otherSource(sourceOf(of, 1 - side)) {}

  const Instruction& dot;
  size_t shared;  // side of the shared array
  Source sharedSource, otherSource;

  const DotSide& ofShared() const { return sharedSource.dims; }
  const DotSide& ofOther() const { return otherSource.dims; }
  Instruction* other() const { return otherSource.value; }

  std::vector<Label> labelsOfOther() const {
    const DotSide &mine = ofShared(), &theirs = ofOther();
    std::vector<Label> labels(other()->shape().rank());
    const auto put = [&](const std::vector<int64_t>& dims, auto label) {
      for (size_t k = 0; k < dims.size(); ++k) labels[static_cast<size_t>(dims[k])] = label(k);
    };
    put(theirs.batch, [&](size_t k) { return mine.batch[k]; });
    put(theirs.contracting, [&](size_t k) { return mine.contracting[k]; });
    put(theirs.free, [](size_t k) { return kFree + static_cast<Label>(k); });
    return labels;
  }

  // Of the result, where the other operand has `free` free dimensions.
  std::vector<Label> labelsOfResult(size_t free) const { return resultOf(ofShared().free, free); }
  // The same of a dot that reads the shared array as it is before transposes.
  std::vector<Label> labelsOfMerged(size_t free) const { return resultOf(sorted(ofShared().free), free); }

  int64_t freeSize() const {
    int64_t size = 1;
    for (const int64_t d : ofOther().free) size *= other()->shape().dimension(static_cast<size_t>(d));
    return size;
  }

 private:
  std::vector<Label> resultOf(const std::vector<int64_t>& mine, size_t free) const {
    std::vector<Label> labels = ofShared().batch, frees;
    for (size_t k = 0; k < free; ++k) frees.push_back(kFree + static_cast<Label>(k));
    const auto& lhs = shared == 0 ? mine : frees;
    const auto& rhs = shared == 0 ? frees : mine;
    labels.insert(labels.end(), lhs.begin(), lhs.end());
    labels.insert(labels.end(), rhs.begin(), rhs.end());
    return labels;
  }
};

// Where each of `wanted` stands in `labels`.
std::vector<int64_t> placesOf(const std::vector<Label>& wanted, const std::vector<Label>& labels) {
  std::vector<int64_t> places;
  for (const Label label : wanted) places.push_back(std::ranges::find(labels, label) - labels.begin());
  return places;
}

// The order in which the other operands are put together, with one free dimension: that of the first, where
// its free dimensions lie together; else batches, then the free one and what is summed over, of which the one
// that has the last dimension stays last.
std::vector<Label> commonForm(const Half& first) {
  std::vector<Label> form;
  const std::vector<Label> labels = first.labelsOfOther();
  for (const Label label : labels) {
    if (label <= kFree || form.empty() || form.back() != kFree) form.push_back(std::min(label, kFree));
  }
  const auto frees = std::ranges::count(form, kFree);
  if (frees == 0) form.push_back(kFree);
  if (frees <= 1) return form;
  const DotSide shared = first.ofShared();
  form = shared.contracting;
  form.insert(labels.back() >= kFree ? form.end() : form.begin(), kFree);
  form.insert(form.begin(), shared.batch.begin(), shared.batch.end());
  return form;
}

Instruction* inForm(const Half& half, const std::vector<Label>& form, Instruction& before) {
  const std::vector<Label> labels = half.labelsOfOther();
  std::vector<Label> order;
  for (const Label label : form) {
    if (label != kFree) order.push_back(label);
    for (size_t k = 0; label == kFree && k < half.ofOther().free.size(); ++k)
      order.push_back(kFree + static_cast<Label>(k));
  }
  Instruction* value = transposeBy(half.other(), placesOf(order, labels), before);
  std::vector<int64_t> sizes;
  for (const Label label : form) {
    const auto at = static_cast<size_t>(placesOf({label}, labels)[0]);
    sizes.push_back(label == kFree ? half.freeSize() : half.other()->shape().dimension(at));
  }
  return reshapeTo(value, sizes, before);
}

Instruction* concatenated(Instruction* one, Instruction* other, size_t dimension, Instruction& before) {
  std::vector<int64_t> sizes(one->shape().dimensions().begin(), one->shape().dimensions().end());
  sizes[dimension] += other->shape().dimension(dimension);
  Instruction* both =
      before.parent().create(Opcode::Concatenate, arrayLike(one->shape(), one->shape().elementType(), sizes),
                             {one, other}, {}, &before);
  both->set<Attr::Dimensions>(std::vector<int64_t>{static_cast<int64_t>(dimension)});
  return both;
}

// The part of the dot of both that one of them is, in that one's own form.
Instruction* partOf(Instruction* merged, const Half& first, const Half& half, int64_t start,
                    Instruction& before) {
  const std::vector<Label> labels = first.labelsOfMerged(1);
  const Shape whole = merged->shape();
  std::vector<SliceRange> ranges;
  std::vector<int64_t> cut, split;
  const DotSide other = half.ofOther();
  for (size_t d = 0; d < labels.size(); ++d) {
    const bool isFree = labels[d] == kFree;
    const int64_t from = isFree ? start : 0, size = isFree ? half.freeSize() : whole.dimension(d);
    ranges.push_back({.start = from, .limit = from + size});
    cut.push_back(size);
    if (!isFree) split.push_back(size);
    for (size_t k = 0; isFree && k < other.free.size(); ++k)
      split.push_back(half.other()->shape().dimension(static_cast<size_t>(other.free[k])));
  }
  Instruction* slice = before.parent().create(Opcode::Slice, arrayLike(whole, whole.elementType(), cut),
                                              {merged}, {}, &before);
  slice->set<Attr::Slice>(ranges);
  const std::vector<Label> wanted = half.labelsOfResult(other.free.size());
  return transposeBy(reshapeTo(slice, split, before),
                     placesOf(wanted, first.labelsOfMerged(other.free.size())), before);
}

// As the dot gives it, which may lie in another order.
Instruction* asGiven(Instruction* value, const Instruction& dot, Instruction& before) {
  if (value->shape() == dot.shape()) return value;
  return before.parent().create(Opcode::Copy, dot.shape(), {value}, {}, &before);
}

// Numbers of less than a byte are widened within the dot's kernel, which a concatenate would hinder.
bool isWidened(const Instruction& i) {
  return i.opcode() == Opcode::Convert && elementBits(i.operand(0)->shape().elementType()) < 8;
}

bool canBeOne(const Half& first, const Half& second) {
  if (first.sharedSource.value != second.sharedSource.value) return false;
  const DotSide &a = first.ofShared(), &b = second.ofShared();
  return first.other() != second.other() && sorted(a.batch) == sorted(b.batch) &&
         sorted(a.contracting) == sorted(b.contracting) &&
         first.other()->shape().elementType() == second.other()->shape().elementType() &&
         !isWidened(*first.other()) && !isWidened(*second.other());
}

// The same but for dimensions: precision, algorithm, metadata aside.
bool sameBesidesDimensions(const Instruction& a, const Instruction& b) {
  if (sameMeaning(a, b)) return true;
  const auto plain = [](const Instruction& dot) {
    return std::ranges::all_of(dot.attributes(), [](const Attribute& attribute) {
      const Attr kind = attribute.key;
      return kind == Attr::Metadata || kind == Attr::LhsBatchDims || kind == Attr::RhsBatchDims ||
             kind == Attr::LhsContractingDims || kind == Attr::RhsContractingDims;
    });
  };
  return plain(a) && plain(b);
}

}  // namespace

Instruction* beforeTransposes(Instruction* value) {
  while (value->opcode() == Opcode::Transpose && isPlainArray(value->operand(0)->shape()))
    value = value->operand(0);
  return value;
}

DotReading dotReading(const Instruction& dot, size_t side) {
  const Source source = sourceOf(dot, side);
  return {source.value, sorted(source.dims.batch), sorted(source.dims.contracting)};
}

std::optional<DotPair> dotPairOf(const Instruction& first, const Instruction& second) {
  const bool isLaidOut = first.shape().layout() != nullptr;
  if (first.shape().elementType() != second.shape().elementType() ||
      isLaidOut != (second.shape().layout() != nullptr) || !sameBesidesDimensions(first, second))
    return std::nullopt;
  for (const DotPair pair : {DotPair{0, 0}, {1, 1}, {0, 1}, {1, 0}}) {
    if (canBeOne(Half(first, pair.sideInFirst), Half(second, pair.sideInSecond))) return pair;
  }
  return std::nullopt;
}

Instruction* mergePair(Instruction& first, Instruction& second, DotPair pair) {
  Computation& computation = first.parent();
  const Half one(first, pair.sideInFirst), other(second, pair.sideInSecond);
  const std::vector<Label> form = commonForm(one);
  const auto free = static_cast<size_t>(placesOf({kFree}, form)[0]);
  Instruction* both = concatenated(inForm(one, form, second), inForm(other, form, second), free, second);
  std::array<Instruction*, 2> operands;
  operands[one.shared] = one.sharedSource.value;
  operands[1 - one.shared] = both;
  Instruction* dot = computation.createLike(first, operands, &second);
  const DotSide shared = one.ofShared();
  setDotSide(*dot, one.shared, shared.batch, shared.contracting);
  setDotSide(*dot, 1 - one.shared, placesOf(shared.batch, form), placesOf(shared.contracting, form));
  std::vector<int64_t> sizes;
  for (const Label label : one.labelsOfMerged(1)) {
    sizes.push_back(label == kFree ? both->shape().dimension(free)
                                   : operands[one.shared]->shape().dimension(static_cast<size_t>(label)));
  }
  dot->setShape(arrayLike(first.shape(), first.shape().elementType(), sizes));
  Instruction* head = partOf(dot, one, one, 0, second);
  Instruction* tail = partOf(dot, one, other, one.freeSize(), second);
  computation.replaceAllUses(&first, asGiven(head, first, second));
  computation.replaceAllUses(&second, asGiven(tail, second, second));
  computation.remove(&first);
  computation.remove(&second);
  return dot;
}

}  // namespace hilo
