// Broadcasts: joined with reshapes, and taken behind the work that is done on them.
#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/place_of_dimensions.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool hasSizeOne(Shape shape) { return contains(shape.dimensions(), 1); }

std::vector<int64_t> sizesOverOne(Shape shape) {
  std::vector<int64_t> sizes;
  std::ranges::copy_if(shape.dimensions(), std::back_inserter(sizes), [](int64_t size) { return size != 1; });
  return sizes;
}

}  // namespace

Instruction* broadcastIsTranspose(Instruction& i) {
  const Shape from = i.operand(0)->shape();
  if (from.rank() != i.shape().rank() || std::ranges::is_sorted(i.dimensions()) || !liesRowMajor(from) ||
      !liesRowMajor(i.shape()))
    return nullptr;
  std::vector<int64_t> permutation(from.rank());
  for (size_t d = 0; d < from.rank(); ++d)
    permutation[static_cast<size_t>(i.dimensions()[d])] = static_cast<int64_t>(d);
  return transposeBy(i.operand(0), permutation, i);
}

Instruction* broadcastIsReshape(Instruction& i) {
  const Shape from = i.operand(0)->shape();
  const bool isSame = from.elementCount() == i.shape().elementCount() && from.rank() != i.shape().rank();
  if (!isSame || from.isScalar() || from.elementCount() == 0 || !std::ranges::is_sorted(i.dimensions()) ||
      !liesRowMajor(from) || !liesRowMajor(i.shape()))
    return nullptr;
  return madeView(i, i.operand(0), i.shape());
}

Instruction* broadcastOfSizeOne(Instruction& i) {
  const Shape from = i.operand(0)->shape();
  if (!hasSizeOne(from) || !liesRowMajor(from) || from.elementCount() == i.shape().elementCount())
    return nullptr;
  std::vector<int64_t> dimensions;
  for (size_t d = 0; d < from.rank(); ++d) {
    if (from.dimension(d) != 1) dimensions.push_back(i.dimensions()[d]);
  }
  Instruction* narrow = madeView(i, i.operand(0), arrayLike(from, from.elementType(), sizesOverOne(from)));
  return madeBroadcast(i, narrow, i.shape(), dimensions);
}

// Only what is padded is made before: a narrow broadcast, padded, that the others are added to.
Instruction* padOfBroadcast(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (broadcast.opcode() != Opcode::Broadcast || broadcast.users().size() != 1 || !liesRowMajor(i.shape()) ||
      !liesRowMajor(broadcast.shape()) || i.shape().isDynamic())
    return nullptr;
  std::vector<int64_t> padded, sizes, wide, places;
  std::vector<PaddingDimension> padding;
  for (size_t d = 0; d < i.shape().rank(); ++d) {
    if (i.get<Attr::Padding>()[d] == PaddingDimension{}) continue;
    padded.push_back(static_cast<int64_t>(d));
    sizes.push_back(broadcast.shape().dimension(d));
    wide.push_back(i.shape().dimension(d));
    padding.push_back(i.get<Attr::Padding>()[d]);
  }
  if (padded.empty() || padded.size() == i.shape().rank()) return nullptr;
  for (const int64_t d : broadcast.dimensions()) {
    const auto place = std::ranges::find(padded, d);
    if (place == padded.end()) return nullptr;
    places.push_back(place - padded.begin());
  }
  Instruction* narrow = broadcastTo(broadcast.operand(0), sizes, places, i);
  Instruction* pad = i.parent().createLike(i, {{narrow, i.operand(1)}}, &i);
  pad->setShape(arrayLike(i.shape(), i.shape().elementType(), wide));
  pad->set<Attr::Padding>(padding);
  pad->erase(Attr::Sharding);
  return madeBroadcast(i, pad, i.shape(), padded);
}

Instruction* reshapeOfBroadcast(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (broadcast.opcode() != Opcode::Broadcast || !liesRowMajor(broadcast.shape()) || !liesRowMajor(i.shape()))
    return nullptr;
  std::vector<int64_t> dimensions;
  for (const int64_t d : broadcast.dimensions()) {
    const auto place = placeAfterReshape(broadcast.shape(), static_cast<size_t>(d), i.shape());
    if (!place) return nullptr;
    dimensions.push_back(*place);
  }
  return madeBroadcast(i, broadcast.operand(0), i.shape(), dimensions);
}

Instruction* workOnBroadcasts(Instruction& i) {
  Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (left.opcode() != Opcode::Broadcast || right.opcode() != Opcode::Broadcast || &left == &right ||
      left.shape() != i.shape() || right.shape() != i.shape() || i.shape().isDynamic())
    return nullptr;
  Instruction *x = left.operand(0), *y = right.operand(0);
  const bool leftIsScalar = x->shape().isScalar(), rightIsScalar = y->shape().isScalar();
  const Instruction& kept = leftIsScalar ? right : left;
  if (!leftIsScalar && !rightIsScalar &&
      (x->shape() != y->shape() || !std::ranges::equal(left.dimensions(), right.dimensions())))
    return nullptr;
  if (leftIsScalar != rightIsScalar) {
    Instruction*& scalar = leftIsScalar ? x : y;
    scalar = madeBroadcast(i, scalar, kept.operand(0)->shape());
  }
  return madeBroadcast(i, madeBinary(i, i.opcode(), x, y), i.shape(), kept.dimensions());
}

}  // namespace hilo::algebra
