#include "core/runtime/thunk/host/multiply.h"

#include <absl/container/node_hash_map.h>

#include <array>
#include <numeric>
#include <span>

#include "core/runtime/thunk/host/library.h"
#include "core/runtime/thunk/host/widened.h"

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

// A dot with places for its arrays, to be run by one thread.
struct Prepared {
  dnnl::matmul product;
  memory::desc right;  // the order it takes the right side in
  std::unordered_map<int, memory> arrays;
  dnnl::reorder order;  // of the right side, where it is asked for
};

// What tells dots apart: types, sizes, strides, threads, and whose order the right side is in.
using Key = std::array<int64_t, 16>;

memory::desc rightOf(const DotThunk& dot, int64_t batch, int64_t n) {
  return matrix(dot.type, batch, dot.k, n, innerStrides(dot, dot.rhsStrides));
}

Prepared prepare(const DotThunk& dot, int64_t batch, int64_t m, int64_t n, const memory::desc& right) {
  // One column in lines of one element: told to lie the other way round, oneDNN takes a hundred
  // times as long.
  auto resultStrides = innerStrides(dot, dot.resultStrides);
  if (n == 1 && resultStrides[1] == 1) resultStrides[2] = 1;
  const auto lhs = matrix(dot.type, batch, m, dot.k, innerStrides(dot, dot.lhsStrides)),
             result = matrix(dot.resultType, batch, m, n, resultStrides);
  const auto& engine = libraryEngine();
  const dnnl::matmul::primitive_desc product(dnnl::matmul::desc(lhs, right, result), engine);
  return {dnnl::matmul(product),
          product.weights_desc(),
          {{DNNL_ARG_SRC, memory(lhs, engine, nullptr)},
           {DNNL_ARG_WEIGHTS, memory(product.weights_desc(), engine, nullptr)},
           {DNNL_ARG_DST, memory(result, engine, nullptr)}},
          {}};
}

// The dot for which `makeRight` says how its right side lies, where it is not kept from before. oneDNN
// keeps primitives too, but to find one there takes it longer than a small dot.
Prepared& prepared(const DotThunk& dot, int64_t batch, int64_t m, int64_t n, int64_t orderedFor,
                   const std::function<memory::desc()>& makeRight) {
  constexpr size_t kMostKept = 512;
  thread_local absl::node_hash_map<Key, Prepared> kept;
  const auto a = innerStrides(dot, dot.lhsStrides), b = innerStrides(dot, dot.rhsStrides),
             c = innerStrides(dot, dot.resultStrides);
  const int64_t types = static_cast<int64_t>(dot.type) * 256 + static_cast<int64_t>(dot.resultType);
  const Key key = {
      types,     batch, m, n, dot.k, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], libraryThreads(),
      orderedFor};
  const auto found = kept.find(key);
  if (found != kept.end()) return found->second;
  if (kept.size() >= kMostKept) kept.clear();
  Prepared made = prepare(dot, batch, m, n, makeRight());
  return kept.try_emplace(key, std::move(made)).first->second;
}

// Of dots of `m` rows of one matrix, whose right side lies as is best for `orderedFor` rows.
Prepared& preparedOrdered(const DotThunk& dot, int64_t m, int64_t orderedFor) {
  return prepared(dot, 1, m, dot.n, orderedFor, [&] {
    if (m != orderedFor) return preparedOrdered(dot, orderedFor, orderedFor).right;
    return memory::desc({dot.k, dot.n}, libraryType(dot.type), memory::format_tag::any);
  });
}

// oneDNN's arrays are writable, and it does not write to its sources.
void run(Prepared& prepared, const std::byte* lhs, const std::byte* rhs, std::byte* result) {
  prepared.arrays.at(DNNL_ARG_SRC).set_data_handle(const_cast<std::byte*>(lhs));
  prepared.arrays.at(DNNL_ARG_WEIGHTS).set_data_handle(const_cast<std::byte*>(rhs));
  prepared.arrays.at(DNNL_ARG_DST).set_data_handle(result);
  runLibrary(prepared.product, prepared.arrays);
}

// The dot in a type that the library has on this processor: `dot` itself, or one on dense matrices of f32.
DotThunk inLibraryType(const DotThunk& dot, int64_t batch, int64_t m, int64_t n) {
  if (libraryHas(dot.type)) return dot;
  DotThunk wide = dot;
  wide.type = wide.resultType = ElementType::F32;
  wide.batch = {batch};
  wide.lhsStrides = {m * dot.k, dot.k, 1};
  wide.rhsStrides = {dot.k * n, n, 1};
  wide.resultStrides = {m * n, n, 1};
  if (dot.resultType == ElementType::F32) {
    const auto strides = innerStrides(dot, dot.resultStrides);
    wide.resultStrides.assign(strides.begin(), strides.end());
  }
  return wide;
}

// Calls `work` with that dot, its left side and where its result goes, and rounds what has been widened.
template <typename Work>
void inLibraryType(const DotThunk& dot, int64_t batch, int64_t m, int64_t n, const std::byte* lhs,
                   std::byte* result, const Work& work) {
  if (libraryHas(dot.type)) return work(dot, lhs, result);
  const DotThunk wide = inLibraryType(dot, batch, m, n);
  const auto left = widened(lhs, {batch, m, dot.k}, innerStrides(dot, dot.lhsStrides));
  const auto* leftBytes = reinterpret_cast<const std::byte*>(left.get());
  if (dot.resultType == ElementType::F32) return work(wide, leftBytes, result);
  const auto made = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(batch * m * n));
  work(wide, leftBytes, reinterpret_cast<std::byte*>(made.get()));
  narrow(made.get(), {batch, m, n}, innerStrides(dot, dot.resultStrides), result);
}

// The right side in that type; `start` is into `wide` or where it was.
struct RightSide {
  std::unique_ptr<float[]> wide;
  const std::byte* start;
};
RightSide rightInLibraryType(const DotThunk& dot, int64_t batch, int64_t n, const std::byte* rhs) {
  if (libraryHas(dot.type)) return {nullptr, rhs};
  auto wide = widened(rhs, {batch, dot.k, n}, innerStrides(dot, dot.rhsStrides));
  const auto* start = reinterpret_cast<const std::byte*>(wide.get());
  return {std::move(wide), start};
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
  const auto right = rightInLibraryType(dot, batch, n, rhs);
  inLibraryType(dot, batch, m, n, lhs, result,
                [&](const DotThunk& taken, const std::byte* left, std::byte* made) {
                  run(prepared(taken, batch, m, n, 0, [&] { return rightOf(taken, batch, n); }), left,
                      right.start, made);
                });
}

size_t orderedRightBytes(const DotThunk& dot, int64_t rows) {
  return preparedOrdered(inLibraryType(dot, 1, rows, dot.n), rows, rows).right.get_size();
}

void orderRight(const DotThunk& dot, int64_t rows, const std::byte* rhs, std::byte* ordered) {
  const DotThunk taken = inLibraryType(dot, 1, rows, dot.n);
  const auto right = rightInLibraryType(dot, 1, dot.n, rhs);
  Prepared& product = preparedOrdered(taken, rows, rows);
  const memory from(rightOf(taken, 1, dot.n), libraryEngine(), const_cast<std::byte*>(right.start)),
      to(product.right, libraryEngine(), ordered);
  if (!product.order) product.order = dnnl::reorder(from, to);
  runLibrary(product.order, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

void multiplyByOrdered(const DotThunk& dot, int64_t rows, int64_t m, const std::byte* lhs,
                       const std::byte* ordered, std::byte* result) {
  inLibraryType(dot, 1, m, dot.n, lhs, result,
                [&](const DotThunk& taken, const std::byte* left, std::byte* made) {
                  run(preparedOrdered(taken, m, rows), left, ordered, made);
                });
}

}  // namespace hilo
