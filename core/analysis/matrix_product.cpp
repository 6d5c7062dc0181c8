#include "core/analysis/matrix_product.h"

#include <algorithm>
#include <functional>

#include "core/analysis/dimension_order.h"

namespace hilo {
namespace {

constexpr auto kLhs = ProductArray::Lhs, kRhs = ProductArray::Rhs, kResult = ProductArray::Result;

// As few runs as lie evenly in all arrays. What order dimensions of one kind are taken in does not matter, as
// long as it is the same in every array: that of `by` in memory.
std::vector<ProductRun> joined(std::vector<ProductRun> dims, ProductArray by) {
  std::erase_if(dims, [](const ProductRun& dim) { return dim.size == 1; });
  std::ranges::sort(dims, std::greater<>(), [&](const ProductRun& dim) { return dim.in(by); });
  std::vector<ProductRun> runs;
  for (const ProductRun& dim : dims) {
    const auto continues = [&] {
      for (size_t a = 0; a < dim.strides.size(); ++a) {
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
  std::vector<ProductRun> batch, rows, columns, sum;
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

// One dimension of the result is dense too; it may be called columns.
bool isMatrixProduct(const ProductRun& rows, const ProductRun& columns, const ProductRun& sum) {
  return hasDenseDimension(rows, sum, kLhs) && hasDenseDimension(columns, sum, kRhs) &&
         hasDenseDimension(rows, columns, kResult);
}

}  // namespace

bool hasDenseDimension(const ProductRun& a, const ProductRun& b, ProductArray in) {
  return a.size == 1 || b.size == 1 || a.in(in) == 1 || b.in(in) == 1;
}

double MatrixProduct::workOfOne() const {
  return static_cast<double>(rows.size) * static_cast<double>(columns.size) * static_cast<double>(sum.size);
}

double MatrixProduct::work() const { return workOfOne() * static_cast<double>(matrices()); }

int64_t MatrixProduct::matrices() const {
  int64_t count = 1;
  for (const ProductRun& run : batch) count *= run.size;
  return count;
}

std::optional<MatrixProduct> matrixProduct(const Instruction& dot) {
  const DotDims dims = dimsOf(dot);
  const auto orOne = [](std::vector<ProductRun> runs) {
    return runs.empty() ? std::vector<ProductRun>(1) : runs;
  };
  const auto rows = orOne(joined(dims.rows, kResult)), columns = orOne(joined(dims.columns, kResult)),
             sum = orOne(joined(dims.sum, kLhs));
  if (sum.size() > 1) return std::nullopt;
  size_t row = 0, column = 0;
  int64_t best = -1;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < columns.size(); ++j) {
      const int64_t size = rows[i].size * columns[j].size;
      if (size <= best || !isMatrixProduct(rows[i], columns[j], sum[0])) continue;
      row = i;
      column = j;
      best = size;
    }
  }
  if (best < 0) return std::nullopt;
  MatrixProduct product{rows[row], columns[column], sum[0], {}};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i != row) product.batch.push_back(rows[i]);
  }
  for (size_t j = 0; j < columns.size(); ++j) {
    if (j != column) product.batch.push_back(columns[j]);
  }
  const auto batch = joined(dims.batch, kResult);
  if (!product.batch.empty() && batch.empty()) product.batch.emplace_back();
  product.batch.insert(product.batch.end(), batch.begin(), batch.end());
  return product;
}

bool hasLibraryTypes(const Instruction& dot) {
  const ElementType type = dot.operand(0)->shape().elementType(), result = dot.shape().elementType();
  return (type == ElementType::F32 || type == ElementType::BF16) &&
         dot.operand(1)->shape().elementType() == type && (result == type || result == ElementType::F32);
}

MatrixProduct transposed(const MatrixProduct& product) {
  const auto turned = [](ProductRun run) {
    std::swap(run.strides[0], run.strides[1]);
    return run;
  };
  MatrixProduct made{turned(product.columns), turned(product.rows), turned(product.sum), {}};
  for (const ProductRun& run : product.batch) made.batch.push_back(turned(run));
  return made;
}

std::optional<ProductRun> asOneRun(Shape shape, std::span<const int64_t> dims, ProductArray array) {
  const auto strides = layoutStrides(shape);
  ProductRun run;
  int64_t& stride = run.strides[static_cast<size_t>(array)];
  for (size_t i = dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(dims[i]);
    if (shape.dimension(d) == 1) continue;
    if (run.size == 1) {
      stride = strides[d];
    } else if (strides[d] != stride * run.size) {
      return std::nullopt;
    }
    run.size *= shape.dimension(d);
  }
  return run;
}

}  // namespace hilo
