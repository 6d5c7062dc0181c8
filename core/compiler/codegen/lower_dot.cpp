// Products that a library does.
#include "core/analysis/library_convolution.h"
#include "core/base/check.h"
#include "core/compiler/codegen/kernel_draft.h"

namespace hilo {

namespace {

enum Array : uint8_t { kLhs, kRhs, kResult };

// Dimensions that are walked over as one: how many elements, and the stride in each array; 0 in one that
// lacks them.
struct Run {
  int64_t size = 1;
  std::array<int64_t, 3> strides{};
};

// As few runs as lie evenly in all arrays. What order dimensions of one kind are taken in does not matter, as
// long as it is the same in every array: that of `by` in memory.
std::vector<Run> joined(std::vector<Run> dims, Array by) {
  std::erase_if(dims, [](const Run& dim) { return dim.size == 1; });
  std::ranges::sort(dims, std::greater<>(), [&](const Run& dim) { return dim.strides[by]; });
  std::vector<Run> runs;
  for (const Run& dim : dims) {
    const auto continues = [&] {
      for (size_t a = 0; a < 3; ++a) {
        if (runs.back().strides[a] != dim.strides[a] * dim.size) return false;
      }
      return true;
    };
    if (!runs.empty() && continues()) {
      runs.back() = {runs.back().size * dim.size, dim.strides};
    } else {
      runs.push_back(dim);
    }
  }
  return runs;
}

// The dimensions of a product by kind.
struct DotDims {
  std::vector<Run> batch, rows, columns, sum;
};
DotDims dimsOf(const Instruction& dot) {
  const Shape lhs = dot.operand(0)->shape(), rhs = dot.operand(1)->shape(), result = dot.shape();
  const auto lhsStrides = layoutStrides(lhs), rhsStrides = layoutStrides(rhs),
             resultStrides = layoutStrides(result);
  const auto lhsBatch = dot.get<Attr::LhsBatchDims>(), rhsBatch = dot.get<Attr::RhsBatchDims>(),
             lhsSum = dot.get<Attr::LhsContractingDims>(), rhsSum = dot.get<Attr::RhsContractingDims>();
  DotDims dims;
  size_t at = 0;  // in the result
  for (size_t i = 0; i < lhsBatch.size(); ++i, ++at) {
    const auto l = static_cast<size_t>(lhsBatch[i]), r = static_cast<size_t>(rhsBatch[i]);
    dims.batch.push_back({lhs.dimension(l), {lhsStrides[l], rhsStrides[r], resultStrides[at]}});
  }
  const auto isAmong = [](std::span<const int64_t> list, size_t d) {
    return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
  };
  for (size_t d = 0; d < lhs.rank(); ++d) {
    if (isAmong(lhsBatch, d) || isAmong(lhsSum, d)) continue;
    dims.rows.push_back({lhs.dimension(d), {lhsStrides[d], 0, resultStrides[at++]}});
  }
  for (size_t d = 0; d < rhs.rank(); ++d) {
    if (isAmong(rhsBatch, d) || isAmong(rhsSum, d)) continue;
    dims.columns.push_back({rhs.dimension(d), {0, rhsStrides[d], resultStrides[at++]}});
  }
  for (size_t i = 0; i < lhsSum.size(); ++i) {
    const auto l = static_cast<size_t>(lhsSum[i]), r = static_cast<size_t>(rhsSum[i]);
    dims.sum.push_back({lhs.dimension(l), {lhsStrides[l], rhsStrides[r], 0}});
  }
  return dims;
}

// What is one matrix product, and what is gone over around it.
struct LibraryDot {
  Run rows, columns, sum;
  std::vector<Run> batch;  // the last one has a stride in every array, or is of one
};

// oneDNN is quick where one of the two dimensions of a matrix is dense, of the result one we may call
// columns.
bool isForLibrary(const Run& rows, const Run& columns, const Run& sum) {
  const auto isDense = [](const Run& a, const Run& b, Array in) {
    return a.size == 1 || b.size == 1 || a.strides[in] == 1 || b.strides[in] == 1;
  };
  return isDense(rows, sum, kLhs) && isDense(columns, sum, kRhs) && isDense(rows, columns, kResult);
}

// nullopt: no order of its dimensions is one for the library, or the matrices are small.
std::optional<LibraryDot> libraryDot(const Instruction& instruction) {
  DotDims dims = dimsOf(instruction);
  const auto orOne = [](std::vector<Run> runs) { return runs.empty() ? std::vector<Run>(1) : runs; };
  const std::vector<Run> rows = orOne(joined(dims.rows, kResult)),
                         columns = orOne(joined(dims.columns, kResult)), sum = orOne(joined(dims.sum, kLhs));
  if (sum.size() > 1) return std::nullopt;
  LibraryDot dot{.sum = sum[0], .batch = {}};
  size_t row = 0, column = 0;
  int64_t best = -1;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < columns.size(); ++j) {
      const int64_t size = rows[i].size * columns[j].size;
      if (size <= best || !isForLibrary(rows[i], columns[j], sum[0])) continue;
      row = i;
      column = j;
      best = size;
    }
  }
  if (best < 0) return std::nullopt;
  dot.rows = rows[row];
  dot.columns = columns[column];
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i != row) dot.batch.push_back(rows[i]);
  }
  for (size_t j = 0; j < columns.size(); ++j) {
    if (j != column) dot.batch.push_back(columns[j]);
  }
  const std::vector<Run> batch = joined(dims.batch, kResult);
  if (!dot.batch.empty() && batch.empty()) dot.batch.emplace_back();
  dot.batch.insert(dot.batch.end(), batch.begin(), batch.end());
  const double together = dot.batch.empty() ? 1 : static_cast<double>(dot.batch.back().size);
  const double work = static_cast<double>(best) * static_cast<double>(dot.sum.size) * together;
  if (work < kLeastLibraryWork) return std::nullopt;
  return dot;
}

}  // namespace

// Products of f32 or bf16 past a size, in layouts the library is quick in.
bool Lowering::lowerLibraryDot(const Instruction& instruction, Scope& scope) {
  const Instruction *lhs = instruction.operand(0), *rhs = instruction.operand(1);
  const Shape shape = instruction.shape();
  const ElementType type = lhs->shape().elementType(), resultType = shape.elementType();
  if ((type != ElementType::F32 && type != ElementType::BF16) || rhs->shape().elementType() != type ||
      (resultType != type && resultType != ElementType::F32))
    return false;
  const std::optional<LibraryDot> dot = libraryDot(instruction);
  if (!dot) return false;
  // Of a result whose columns are dense, the transpose is the product of the transposes the other way round.
  const bool isSwapped = dot->columns.strides[kResult] > 1 && dot->columns.size > 1;
  const auto& [rows, columns] =
      isSwapped ? std::tie(dot->columns, dot->rows) : std::tie(dot->rows, dot->columns);
  const Array first = isSwapped ? kRhs : kLhs, second = isSwapped ? kLhs : kRhs;
  if (isSwapped) std::swap(lhs, rhs);
  const auto strides = [&](Array array, const Run& down, const Run& across) {
    std::vector<int64_t> all;
    for (const Run& run : dot->batch) all.push_back(run.strides[array]);
    all.insert(all.end(), {down.strides[array], across.strides[array]});
    return all;
  };
  std::vector<int64_t> batch;
  double work =
      static_cast<double>(rows.size) * static_cast<double>(columns.size) * static_cast<double>(dot->sum.size);
  for (const Run& run : dot->batch) {
    batch.push_back(run.size);
    work *= static_cast<double>(run.size);
  }
  const LeafValue result = newLeaf(shape);
  DotThunk thunk{type,
                 resultType,
                 std::move(batch),
                 rows.size,
                 columns.size,
                 dot->sum.size,
                 strides(first, rows, dot->sum),
                 strides(second, dot->sum, columns),
                 strides(kResult, rows, columns),
                 ReadSlice(leafOf(*lhs, scope).slab->slice),
                 ReadSlice(leafOf(*rhs, scope).slab->slice),
                 WriteSlice(result.slab->slice)};
  addThunk(instruction, std::move(thunk), static_cast<int64_t>(std::min(1e15, 2 * work / 50)),
           scope.sequence);
  scope.values[&instruction] = {result};
  return true;
}

}  // namespace hilo
