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

// The dimensions of a batch, as few as lie evenly in all three arrays, with a stride in each.
struct Batch {
  std::vector<int64_t> sizes;
  std::array<std::vector<int64_t>, 3> strides;  // of lhs, rhs, result
};
Batch batchOf(Shape shape, const std::array<std::vector<int64_t>, 3>& strides) {
  Batch batch;
  for (size_t d = 0; d < strides[0].size(); ++d) {
    const int64_t size = shape.dimension(d);
    if (size == 1) continue;
    const bool joins = !batch.sizes.empty() && std::ranges::all_of(std::array{0, 1, 2}, [&](size_t a) {
      return batch.strides[a].back() == strides[a][d] * size;
    });
    if (joins) {
      batch.sizes.back() *= size;
    } else {
      batch.sizes.push_back(size);
    }
    for (size_t a = 0; a < 3; ++a) {
      if (!joins) batch.strides[a].push_back(0);
      batch.strides[a].back() = strides[a][d];
    }
  }
  return batch;
}

// Strides of some dimensions of an array.
std::vector<int64_t> stridesOf(Shape shape, std::span<const int64_t> dims) {
  const auto all = layoutStrides(shape);
  std::vector<int64_t> strides;
  for (const int64_t d : dims) strides.push_back(all[static_cast<size_t>(d)]);
  return strides;
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

// Products of f32 or bf16 past a size, in layouts where rows, columns and the sum are one stride each.
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
  const auto lm = merge(lhs.shape(), lhsFree), lk = merge(lhs.shape(), lhsSum);
  const auto rk = merge(rhs.shape(), rhsSum), rn = merge(rhs.shape(), rhsFree);
  const auto om = merge(shape, countUp(lhsBatch.size(), lhsFree.size())),
             on = merge(shape, countUp(lhsBatch.size() + lhsFree.size(), rhsFree.size()));
  if (!lm || !lk || !rk || !rn || !om || !on) return false;
  Batch batch = batchOf(shape, {stridesOf(lhs.shape(), lhsBatch), stridesOf(rhs.shape(), rhsBatch),
                                stridesOf(shape, countUp(0, lhsBatch.size()))});
  double work = static_cast<double>(lm->size) * static_cast<double>(rn->size) * static_cast<double>(lk->size);
  for (const int64_t size : batch.sizes) work *= static_cast<double>(size);
  if (work < kLeastLibraryWork) return false;
  // oneDNN is quick where one of the two dimensions of a matrix is dense.
  const auto isDense = [](const Merged& a, const Merged& b) { return a.stride <= 1 || b.stride <= 1; };
  if (!isDense(*lm, *lk) || !isDense(*rk, *rn) || on->stride > 1) return false;
  const auto withMatrix = [](std::vector<int64_t> strides, const Merged& rows, const Merged& columns) {
    strides.insert(strides.end(), {rows.stride, columns.stride});
    return strides;
  };
  const LeafValue result = newLeaf(shape);
  DotThunk thunk{type,
                 resultType,
                 batch.sizes,
                 lm->size,
                 rn->size,
                 lk->size,
                 withMatrix(std::move(batch.strides[0]), *lm, *lk),
                 withMatrix(std::move(batch.strides[1]), *rk, *rn),
                 withMatrix(std::move(batch.strides[2]), *om, *on),
                 ReadSlice(leafOf(lhs, scope).slab->slice),
                 ReadSlice(leafOf(rhs, scope).slab->slice),
                 WriteSlice(result.slab->slice)};
  addThunk(instruction, std::move(thunk), static_cast<int64_t>(std::min(1e15, 2 * work / 50)),
           scope.sequence);
  scope.values[&instruction] = {result};
  return true;
}

}  // namespace hilo
