#include "core/runtime/thunk/multiply.h"

#include <absl/container/flat_hash_map.h>

#include <array>
#include <numeric>
#include <span>

#include "core/runtime/thunk/library.h"

namespace hilo {
namespace {

using Dims = dnnl::memory::dims;
using dnnl::memory;

// `strides` are of the batch's last dimension, rows and columns.
memory::desc matrix(ElementType type, int64_t batch, int64_t rows, int64_t columns,
                    std::span<const int64_t, 3> strides) {
  Dims sizes = {batch, rows, columns}, steps(strides.begin(), strides.end());
  // A dimension of one element may have any stride; oneDNN takes it for the distance between lines, which
  // must not be shorter than a line.
  if (rows == 1) steps[1] = std::max<int64_t>(1, columns * steps[2]);
  if (columns == 1 && steps[2] != 1)
    steps[2] = rows == 1 ? 1 : std::max<int64_t>(1, steps[1] == 1 ? rows : 1);
  if (batch == 1) {
    sizes.erase(sizes.begin());
    steps.erase(steps.begin());
  }
  return stridedArray(type, sizes, steps);
}

// A product with places for its arrays, to be run by one thread.
struct Prepared {
  dnnl::matmul product;
  std::unordered_map<int, memory> arrays;
};

// What tells products apart: types, sizes, strides, and threads.
using Key = std::array<int64_t, 16>;

Prepared prepare(const DotThunk& dot, int64_t batch, int64_t m, int64_t n) {
  // One column in lines of one element: told to lie the other way round, oneDNN takes a hundred times as
  // long.
  auto resultStrides = innerStrides(dot, dot.resultStrides);
  if (n == 1 && resultStrides[1] == 1) resultStrides[2] = 1;
  const auto lhs = matrix(dot.type, batch, m, dot.k, innerStrides(dot, dot.lhsStrides)),
             rhs = matrix(dot.type, batch, dot.k, n, innerStrides(dot, dot.rhsStrides)),
             result = matrix(dot.resultType, batch, m, n, resultStrides);
  const auto& engine = libraryEngine();
  return {dnnl::matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(lhs, rhs, result), engine)),
          {{DNNL_ARG_SRC, memory(lhs, engine, nullptr)},
           {DNNL_ARG_WEIGHTS, memory(rhs, engine, nullptr)},
           {DNNL_ARG_DST, memory(result, engine, nullptr)}}};
}

}  // namespace

int64_t matrixCount(const DotThunk& thunk) {
  return std::reduce(thunk.batch.begin(), thunk.batch.end(), int64_t{1}, std::multiplies<>());
}

std::array<int64_t, 3> innerStrides(const DotThunk& thunk, const std::vector<int64_t>& strides) {
  const auto matrix = strides.end() - 2;
  return {thunk.batch.empty() ? 0 : *(matrix - 1), *matrix, *(matrix + 1)};
}

int64_t matrixStart(const DotThunk& thunk, const std::vector<int64_t>& strides, int64_t number) {
  int64_t start = 0;
  for (size_t d = thunk.batch.size(); d-- > 0;) {
    start += number % thunk.batch[d] * strides[d];
    number /= thunk.batch[d];
  }
  return start;
}

void multiplyMatrices(const DotThunk& dot, int64_t batch, int64_t m, int64_t n, const std::byte* lhs,
                      const std::byte* rhs, std::byte* result) {
  // oneDNN keeps primitives too, but to find one there takes it longer than a small product.
  constexpr size_t kMostKept = 512;
  thread_local absl::flat_hash_map<Key, Prepared> kept;
  const auto a = innerStrides(dot, dot.lhsStrides), b = innerStrides(dot, dot.rhsStrides),
             c = innerStrides(dot, dot.resultStrides);
  const Key key = {static_cast<int64_t>(dot.type) * 256 + static_cast<int64_t>(dot.resultType),
                   batch,
                   m,
                   n,
                   dot.k,
                   a[0],
                   a[1],
                   a[2],
                   b[0],
                   b[1],
                   b[2],
                   c[0],
                   c[1],
                   c[2],
                   libraryThreads(),
                   0};
  auto found = kept.find(key);
  if (found == kept.end()) {
    if (kept.size() == kMostKept) kept.clear();
    found = kept.try_emplace(key, prepare(dot, batch, m, n)).first;
  }
  Prepared& prepared = found->second;
  // oneDNN's arrays are writable, and it does not write to its sources.
  prepared.arrays.at(DNNL_ARG_SRC).set_data_handle(const_cast<std::byte*>(lhs));
  prepared.arrays.at(DNNL_ARG_WEIGHTS).set_data_handle(const_cast<std::byte*>(rhs));
  prepared.arrays.at(DNNL_ARG_DST).set_data_handle(result);
  runLibrary(prepared.product, prepared.arrays);
}

}  // namespace hilo
