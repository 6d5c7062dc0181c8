// Products that a library does.
#include "core/analysis/library_convolution.h"
#include "core/base/check.h"
#include "core/compiler/codegen/kernel_draft.h"

namespace hilo {

namespace {

// Several dimensions as one: their element count, and the one stride that walks over them in row-major order.
struct Merged {
  int64_t size = 1, stride = 0;
};
std::optional<Merged> merge(Shape shape, std::span<const int64_t> dims) {
  const auto strides = layoutStrides(shape);
  Merged merged;
  for (size_t i = dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(dims[i]);
    const int64_t size = shape.dimension(d);
    if (size == 1) continue;
    if (merged.size == 1) {
      merged.stride = strides[d];
    } else if (strides[d] != merged.stride * merged.size) {
      return std::nullopt;
    }
    merged.size *= size;
  }
  return merged;
}

std::vector<int64_t> rest(size_t rank, std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> left;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (std::ranges::find(a, d) == a.end() && std::ranges::find(b, d) == b.end()) left.push_back(d);
  }
  return left;
}

std::vector<int64_t> countUp(size_t first, size_t count) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(static_cast<int64_t>(first + i));
  return numbers;
}

}  // namespace

// Products of f32 or bf16 past a size, in layouts where batch, rows, columns and the sum are one stride each.
bool Lowering::lowerLibraryDot(const Instruction& instruction, Scope& scope) {
  const Instruction &lhs = *instruction.operand(0), &rhs = *instruction.operand(1);
  const Shape shape = instruction.shape();
  const ElementType type = lhs.shape().elementType(), resultType = shape.elementType();
  if ((type != ElementType::F32 && type != ElementType::BF16) || rhs.shape().elementType() != type ||
      (resultType != type && resultType != ElementType::F32))
    return false;
  const auto lhsBatch = instruction.get<Attr::LhsBatchDims>(),
             rhsBatch = instruction.get<Attr::RhsBatchDims>();
  const auto lhsSum = instruction.get<Attr::LhsContractingDims>(),
             rhsSum = instruction.get<Attr::RhsContractingDims>();
  const auto lhsFree = rest(lhs.shape().rank(), lhsBatch, lhsSum),
             rhsFree = rest(rhs.shape().rank(), rhsBatch, rhsSum);
  const auto lb = merge(lhs.shape(), lhsBatch), lm = merge(lhs.shape(), lhsFree),
             lk = merge(lhs.shape(), lhsSum);
  const auto rb = merge(rhs.shape(), rhsBatch), rk = merge(rhs.shape(), rhsSum),
             rn = merge(rhs.shape(), rhsFree);
  const auto ob = merge(shape, countUp(0, lhsBatch.size())),
             om = merge(shape, countUp(lhsBatch.size(), lhsFree.size())),
             on = merge(shape, countUp(lhsBatch.size() + lhsFree.size(), rhsFree.size()));
  if (!lb || !lm || !lk || !rb || !rk || !rn || !ob || !om || !on) return false;
  if (static_cast<double>(lb->size) * static_cast<double>(lm->size) * static_cast<double>(rn->size) *
          static_cast<double>(lk->size) <
      kLeastLibraryWork)
    return false;
  // oneDNN is quick where one of the two dimensions of a matrix is dense.
  const auto isDense = [](const Merged& a, const Merged& b) { return a.stride <= 1 || b.stride <= 1; };
  if (!isDense(*lm, *lk) || !isDense(*rk, *rn) || on->stride > 1) return false;
  const LeafValue result = newLeaf(shape);
  DotThunk thunk{type,
                 resultType,
                 lb->size,
                 lm->size,
                 rn->size,
                 lk->size,
                 {lb->stride, lm->stride, lk->stride},
                 {rb->stride, rk->stride, rn->stride},
                 {ob->stride, om->stride, on->stride},
                 ReadSlice(leafOf(lhs, scope).slab->slice),
                 ReadSlice(leafOf(rhs, scope).slab->slice),
                 WriteSlice(result.slab->slice)};
  const double flops = 2.0 * static_cast<double>(thunk.batch) * static_cast<double>(thunk.m) *
                       static_cast<double>(thunk.n) * static_cast<double>(thunk.k);
  addThunk(instruction, std::move(thunk), static_cast<int64_t>(std::min(1e15, flops / 50)), scope.sequence);
  scope.values[&instruction] = {result};
  return true;
}

}  // namespace hilo
