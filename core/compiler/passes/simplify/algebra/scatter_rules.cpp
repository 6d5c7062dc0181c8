// Scatters that add: two into zeros are one, and a transpose goes to what is scattered.
#include <algorithm>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isSum(const Instruction& i) {
  return i.opcode() == Opcode::Scatter && i.operandCount() == 3 && i.users().size() == 1 &&
         combinerOf(i) == Opcode::Add && !i.shape().isDynamic();
}

template <Attr A>
bool sameList(const Instruction& a, const Instruction& b) {
  return std::ranges::equal(a.get<A>(), b.get<A>());
}

bool scattersAlike(const Instruction& a, const Instruction& b) {
  return sameList<Attr::UpdateWindowDims>(a, b) && sameList<Attr::InsertedWindowDims>(a, b) &&
         sameList<Attr::ScatterDimsToOperandDims>(a, b) && sameList<Attr::InputBatchingDims>(a, b) &&
         sameList<Attr::ScatterIndicesBatchingDims>(a, b) &&
         a.get<Attr::IndexVectorDim>() == b.get<Attr::IndexVectorDim>() &&
         a.operand(1)->shape().rank() == b.operand(1)->shape().rank();
}

Instruction* joined(Instruction& at, Instruction* first, Instruction* second, size_t dimension) {
  std::vector<int64_t> sizes = listOf(first->shape().dimensions());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d != dimension && sizes[d] != second->shape().dimension(d)) return nullptr;
  }
  sizes[dimension] += second->shape().dimension(dimension);
  Instruction* made =
      at.parent().create(Opcode::Concatenate, arrayLike(first->shape(), first->shape().elementType(), sizes),
                         {first, second}, {}, &at);
  made->set<Attr::Dimensions>(std::vector<int64_t>{static_cast<int64_t>(dimension)});
  return made;
}

// The first dimension of the indices that is neither the index itself nor a batch,
// with that of the updates it is.
struct RunDimension {
  size_t ofIndices, ofUpdates;
};
std::optional<RunDimension> runOf(const Instruction& scatter) {
  const auto vector = *scatter.get<Attr::IndexVectorDim>();
  const auto windows = scatter.get<Attr::UpdateWindowDims>(),
             batches = scatter.get<Attr::ScatterIndicesBatchingDims>();
  size_t update = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(scatter.operand(1)->shape().rank()); ++d) {
    if (d == vector) continue;
    while (contains(windows, static_cast<int64_t>(update))) ++update;
    if (!contains(batches, d)) return RunDimension{static_cast<size_t>(d), update};
    ++update;
  }
  return std::nullopt;
}

Instruction* bothAtOnce(Instruction& at, const Instruction& first, const Instruction& second,
                        Instruction* into) {
  const auto run = runOf(first);
  if (!run || !scattersAlike(first, second)) return nullptr;
  Instruction* indices = joined(at, first.operand(1), second.operand(1), run->ofIndices);
  Instruction* updates = joined(at, first.operand(2), second.operand(2), run->ofUpdates);
  if (indices == nullptr || updates == nullptr) return nullptr;
  return at.parent().createLike(first, {{into, indices, updates}}, &at);
}

}  // namespace

Instruction* addOfScatters(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (&left == &right || !isSum(left) || !isSum(right) || !isAll(*left.operand(0), 0) ||
      !isAll(*right.operand(0), 0))
    return nullptr;
  return bothAtOnce(i, left, right, left.operand(0));
}

Instruction* addToScatter(Instruction& i) {
  for (const size_t side : {0, 1}) {
    const Instruction& scatter = *i.operand(side);
    Instruction* other = i.operand(1 - side);
    if (!isSum(scatter) || !isAll(*scatter.operand(0), 0) ||
        (isSum(*other) && isAll(*other->operand(0), 0)) || runOf(scatter) == std::nullopt ||
        other->shape() != scatter.shape())
      continue;
    if (other->opcode() == Opcode::Add &&
        std::ranges::any_of(other->operands(), [](auto* o) { return isSum(*o); }))
      continue;
    return i.parent().createLike(scatter, {{other, scatter.operand(1), scatter.operand(2)}}, &i);
  }
  return nullptr;
}

Instruction* scatterOfScatter(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (i.operandCount() != 3 || !isSum(inner) || combinerOf(i) != Opcode::Add) return nullptr;
  return bothAtOnce(i, inner, i, inner.operand(0));
}

// Without batches: dimensions of the array and of the update's windows go where the transpose puts them.
Instruction* transposeOfScatter(Instruction& i) {
  const Instruction& scatter = *i.operand(0);
  if (scatter.opcode() != Opcode::Scatter || scatter.operandCount() != 3 || scatter.users().size() != 1 ||
      !scatter.get<Attr::InputBatchingDims>().empty() || !scatter.get<Attr::InsertedWindowDims>().empty() ||
      !liesRowMajor(i.shape()) || !liesRowMajor(scatter.shape()) ||
      !liesRowMajor(scatter.operand(2)->shape()))
    return nullptr;
  const auto order = i.dimensions(), windows = scatter.get<Attr::UpdateWindowDims>();
  std::vector<int64_t> moved(scatter.operand(2)->shape().rank()), targets;
  for (size_t d = 0; d < moved.size(); ++d) moved[d] = static_cast<int64_t>(d);
  for (size_t d = 0; d < order.size(); ++d)
    moved[static_cast<size_t>(windows[d])] = windows[static_cast<size_t>(order[d])];
  for (const int64_t d : scatter.get<Attr::ScatterDimsToOperandDims>())
    targets.push_back(std::ranges::find(order, d) - order.begin());
  Instruction* operand = transposeBy(scatter.operand(0), order, i);
  Instruction* updates = transposeBy(scatter.operand(2), moved, i);
  Instruction* made = i.parent().createLike(scatter, {{operand, scatter.operand(1), updates}}, &i);
  made->set<Attr::ScatterDimsToOperandDims>(targets);
  made->setShape(i.shape());
  return made;
}

}  // namespace hilo::algebra
