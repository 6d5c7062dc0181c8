// Products of transposed arrays, and transposes of products.
#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/dots/dot_strength_reduction.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isPlainDot(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && !i.has(Attr::SparsityConfig) &&
         isCanonicalDot(i) && isPlainArray(i.shape());
}

// The dot with its operands in the other order. Its result has the free dimensions in the other order, which
// is the caller's to put right.
Instruction* swapped(Instruction& at, const Instruction& dot, Instruction* left, Instruction* right,
                     Shape shape) {
  Instruction* made = at.parent().createLike(dot, {{left, right}}, &at);
  const DotSide l = dotSide(dot, 0), r = dotSide(dot, 1);
  setDotSide(*made, 0, r.batch, r.contracting);
  setDotSide(*made, 1, l.batch, l.contracting);
  const auto precision = dot.get<Attr::OperandPrecision>();
  if (precision.size() == 2) made->set<Attr::OperandPrecision>(std::vector{precision[1], precision[0]});
  made->setShape(shape);
  return made;
}

// The order in which a transpose puts the leading `batch` dimensions, and whether it swaps the last two;
// nullopt where it does more.
struct BatchOrder {
  std::vector<int64_t> order;
  bool swapsLastTwo;
};
std::optional<BatchOrder> batchOrderOf(std::span<const int64_t> permutation, size_t batch) {
  if (permutation.size() != batch + 2) return std::nullopt;
  const auto n = static_cast<int64_t>(batch);
  const bool isKept = permutation[batch] == n && permutation[batch + 1] == n + 1,
             isSwapped = permutation[batch] == n + 1 && permutation[batch + 1] == n;
  if (!isKept && !isSwapped) return std::nullopt;
  return BatchOrder{listOf(permutation.first(batch)), isSwapped};
}

// A dot whose operands are of the result's type, and multiplied as they are.
bool isOfOneType(const Instruction& i) {
  const ElementType type = i.shape().elementType();
  return i.operandCount() == 2 && !i.has(Attr::SparsityConfig) && liesRowMajor(i.shape()) &&
         (isFloat(type) || isComplex(type) || isIntegral(type)) &&
         i.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset) == DotAlgorithm::Unset &&
         std::ranges::all_of(i.operands(), [&](const Instruction* o) {
           return liesRowMajor(o->shape()) && o->shape().elementType() == type;
         });
}

int64_t countOf(const Instruction& dot, size_t side, std::span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t d : dims) count *= dot.operand(side)->shape().dimension(static_cast<size_t>(d));
  return count;
}

// Someone wants the parts of its sum apart: the result is to be handed on as it is.
bool isUnreduced(const Instruction& dot) {
  return std::ranges::any_of(dot.users(), [](const Instruction* user) {
    const Sharding* sharding = user->get<Attr::Sharding>();
    return user->opcode() == Opcode::CustomCall && sharding != nullptr &&
           (sharding->type == Sharding::Type::Unreduced ||
            (sharding->named != nullptr && !sharding->named->unreducedAxes.empty()));
  });
}

}  // namespace

Instruction* dotWithoutSum(Instruction& i) {
  return isOfOneType(i) && i.get<Attr::LhsContractingDims>().empty() ? expandedDot(i) : nullptr;
}

// One side has no element of its own, or nothing is added up.
Instruction* dotOfVector(Instruction& i) {
  if (!isOfOneType(i)) return nullptr;
  const DotSide left = dotSide(i, 0), right = dotSide(i, 1);
  const bool isOne =
      countOf(i, 0, left.free) == 1 || countOf(i, 1, right.free) == 1 || countOf(i, 0, left.contracting) == 1;
  return isOne ? expandedDot(i) : nullptr;
}

Instruction* dotOfVectors(Instruction& i) {
  const bool isOne = isOfOneType(i) && dotSide(i, 0).free.empty() && dotSide(i, 1).free.empty();
  return isOne ? expandedDot(i) : nullptr;
}

// Of a dimension that a reshape joined the constant takes the order that it had before the transpose.
Instruction* dotOfReordered(Instruction& i) {
  for (const size_t side : {0, 1}) {
    const Instruction& reshape = *i.operand(side);
    Instruction* constant = i.operand(1 - side);
    if (i.operandCount() != 2 || i.has(Attr::SparsityConfig) || reshape.opcode() != Opcode::Reshape ||
        reshape.operand(0)->opcode() != Opcode::Transpose || constant->opcode() != Opcode::Constant ||
        !liesRowMajor(reshape.shape()) || !liesRowMajor(reshape.operand(0)->shape()) ||
        !liesRowMajor(constant->shape()) || !liesRowMajor(reshape.operand(0)->operand(0)->shape()))
      continue;
    const auto own = dotSide(i, side).contracting, their = dotSide(i, 1 - side).contracting;
    if (own.size() != 1) continue;
    const Shape joined = reshape.shape(), parts = reshape.operand(0)->shape();
    const auto order = reshape.operand(0)->dimensions();
    // The dimensions [first, end) of the transpose are the one that is contracted.
    const auto first = static_cast<size_t>(own[0]), at = static_cast<size_t>(their[0]);
    const size_t behind = joined.rank() - first - 1, end = parts.rank() - behind;
    if (parts.rank() < joined.rank() + 1) continue;
    bool isJoined = true, isMoved = false;
    std::vector<int64_t> sizes = listOf(constant->shape().dimensions()), back;
    sizes.erase(sizes.begin() + their[0]);
    for (size_t d = 0; d < parts.rank(); ++d) {
      const bool isOutside = d < first || d >= end;
      isMoved |= order[d] != static_cast<int64_t>(d);
      isJoined &= !isOutside ||
                  (order[d] == static_cast<int64_t>(d) &&
                   parts.dimension(d) == joined.dimension(d < first ? d : d + joined.rank() - parts.rank()));
    }
    if (!isJoined || !isMoved) continue;
    for (size_t d = 0; d < sizes.size() + end - first; ++d) {
      const bool isPart = d >= at && d < at + end - first;
      const auto place = std::ranges::find(order, static_cast<int64_t>(d - at + first)) - order.begin();
      back.push_back(isPart ? place - static_cast<int64_t>(first) + their[0] : static_cast<int64_t>(d));
    }
    sizes.insert(sizes.begin() + their[0], parts.dimensions().begin() + static_cast<int64_t>(first),
                 parts.dimensions().begin() + static_cast<int64_t>(end));
    Instruction* turned = transposeBy(reshapeTo(constant, sizes, i), back, i);
    Instruction* table = reshapeTo(turned, constant->shape().dimensions(), i);
    Instruction* data = reshapedAs(reshape.operand(0)->operand(0), joined, i);
    return i.parent().createLike(i, side == 0 ? std::vector{data, table} : std::vector{table, data}, &i);
  }
  return nullptr;
}

Instruction* transposeOfBatchDot(Instruction& i) {
  const Instruction& dot = *i.operand(0);
  if (!isPlainDot(dot) || dot.users().size() != 1 || !isPlainArray(i.shape())) return nullptr;
  const size_t batch = dot.get<Attr::LhsBatchDims>().size();
  const auto order = batchOrderOf(i.dimensions(), batch);
  if (batch == 0 || !order || !order->swapsLastTwo || !std::ranges::is_sorted(order->order)) return nullptr;
  // As products of matrices are written: what is contracted is last on the left, and first on the right.
  const auto n = static_cast<int64_t>(batch);
  if (dotSide(dot, 1).contracting[0] != n + 1 || dotSide(dot, 0).contracting[0] != n) return nullptr;
  return swapped(i, dot, dot.operand(1), dot.operand(0), i.shape());
}

// dot(transpose(x), transpose(y)) = transpose(dot(y, x)) where both swap their last two dimensions, and both
// put batch dimensions in the same order.
Instruction* dotOfTransposes(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (!isPlainDot(i) || left.opcode() != Opcode::Transpose || right.opcode() != Opcode::Transpose ||
      !liesRowMajor(left.operand(0)->shape()) || !liesRowMajor(right.operand(0)->shape()) ||
      !liesRowMajor(i.shape()) || isUnreduced(i))
    return nullptr;
  const DotSide l = dotSide(i, 0), r = dotSide(i, 1);
  const size_t batch = l.batch.size();
  if (batch == 0 || l.batch != r.batch || !std::ranges::is_sorted(l.batch) || l.free.size() != 1 ||
      r.free.size() != 1)
    return nullptr;
  const auto x = batchOrderOf(left.dimensions(), batch), y = batchOrderOf(right.dimensions(), batch);
  if (!x || !y || x->order != y->order || x->swapsLastTwo != y->swapsLastTwo) return nullptr;
  const bool swaps = x->swapsLastTwo;
  const auto other = [&](int64_t d) { return swaps ? static_cast<int64_t>(2 * batch) + 1 - d : d; };
  std::vector<int64_t> sizes(batch + 2), back;
  for (size_t d = 0; d < batch; ++d) {
    sizes[static_cast<size_t>(x->order[d])] = i.shape().dimension(d);
    back.push_back(x->order[d]);
  }
  sizes[batch] = i.shape().dimension(batch + static_cast<size_t>(swaps));
  sizes[batch + 1] = i.shape().dimension(batch + 1 - static_cast<size_t>(swaps));
  back.push_back(static_cast<int64_t>(batch) + static_cast<int64_t>(swaps));
  back.push_back(static_cast<int64_t>(batch) + 1 - static_cast<int64_t>(swaps));
  const Shape shape = arrayLike(i.shape(), i.shape().elementType(), sizes);
  Instruction* dot = nullptr;
  if (swaps) {
    dot = swapped(i, i, right.operand(0), left.operand(0), shape);
    setDotSide(*dot, 0, r.batch, std::vector<int64_t>{other(r.contracting[0])});
    setDotSide(*dot, 1, l.batch, std::vector<int64_t>{other(l.contracting[0])});
  } else {
    dot = i.parent().createLike(i, {{left.operand(0), right.operand(0)}}, &i);
    dot->setShape(shape);
  }
  return transposeBy(dot, back, i);
}

// A batch dimension that is summed up afterwards is one to contract.
Instruction* sumOfBatchDot(Instruction& i) {
  const Instruction& dot = *i.operand(0);
  if (i.operandCount() != 2 || dot.opcode() != Opcode::Dot || dot.operandCount() != 2 ||
      dot.has(Attr::SparsityConfig) || !isPlainArray(dot.shape()) || dot.users().size() != 1 ||
      !isAll(*i.operand(1), 0) || i.get<Attr::ToApply>()->root()->opcode() != Opcode::Add ||
      i.get<Attr::ToApply>()->instructionCount() != 3 ||
      i.shape().elementType() != dot.shape().elementType() || !isPlainArray(i.shape()))
    return nullptr;
  DotSide sides[] = {dotSide(dot, 0), dotSide(dot, 1)};
  const auto batch = static_cast<int64_t>(sides[0].batch.size());
  if (i.dimensions().empty() || std::ranges::any_of(i.dimensions(), [&](int64_t d) { return d >= batch; }))
    return nullptr;
  Instruction* made = i.parent().createLike(dot, dot.operands(), &i);
  for (size_t side = 0; side < 2; ++side) {
    std::vector<int64_t> kept, contracting = sides[side].contracting;
    for (int64_t d = 0; d < batch; ++d)
      (contains(i.dimensions(), d) ? contracting : kept).push_back(sides[side].batch[static_cast<size_t>(d)]);
    setDotSide(*made, side, kept, contracting);
  }
  made->setShape(i.shape());
  return made;
}

// dot(c, concatenate(x, y)) = dot(c of x, x) + dot(c of y, y), for a constant c, in pieces that the
// dot contracts.
Instruction* dotOfPieces(Instruction& i) {
  if (!isPlainDot(i) || i.shape().rank() != 2 || !isPlainArray(i.shape())) return nullptr;
  for (const size_t side : {0, 1}) {
    Instruction &whole = *i.operand(side), &constant = *i.operand(1 - side);
    if (whole.opcode() != Opcode::Concatenate || constant.opcode() != Opcode::Constant ||
        !liesRowMajor(constant.shape()))
      continue;
    const DotSide of = dotSide(i, side), other = dotSide(i, 1 - side);
    if (of.contracting.size() != 1 || whole.dimensions()[0] != of.contracting[0]) continue;
    Instruction* sum = nullptr;
    int64_t at = 0;
    for (Instruction* piece : whole.operands()) {
      const int64_t size = piece->shape().dimension(static_cast<size_t>(of.contracting[0]));
      std::vector<SliceRange> ranges;
      std::vector<int64_t> sizes = listOf(constant.shape().dimensions());
      for (const int64_t s : sizes) ranges.push_back({.start = 0, .limit = s});
      const auto along = static_cast<size_t>(other.contracting[0]);
      ranges[along] = {.start = at, .limit = at + size};
      sizes[along] = size;
      at += size;
      Instruction* part =
          i.parent().create(Opcode::Slice, arrayLike(constant.shape(), constant.shape().elementType(), sizes),
                            {&constant}, {}, &i);
      part->set<Attr::Slice>(ranges);
      Instruction* left = side == 0 ? piece : part;
      Instruction* term = i.parent().createLike(i, {{left, side == 0 ? part : piece}}, &i);
      sum = sum == nullptr ? term : madeBinary(i, Opcode::Add, sum, term);
    }
    return sum;
  }
  return nullptr;
}

}  // namespace hilo::algebra
