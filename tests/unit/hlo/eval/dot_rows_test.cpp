// Sums of products by tiles against the plain loops they stand for, to the bit.
#include "core/hlo/eval/dot_rows.h"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

#include "core/hlo/eval/literal_access.h"

namespace hilo {
namespace {

template <typename T>
T number(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<int64_t>(random());  // products and sums wrap
  } else if constexpr (kIsComplexElement<T>) {
    using Part = typename T::value_type;
    return {number<Part>(random), number<Part>(random)};
  } else {
    return static_cast<T>(std::ldexp(static_cast<double>(random() >> 11), -40) - 4000);
  }
}

template <typename T>
std::vector<T> numbers(size_t count, std::mt19937_64& random, bool areFloats) {
  std::vector<T> made(count);
  for (T& one : made) {
    one = number<T>(random);
    if constexpr (std::is_same_v<T, double>) one = areFloats ? static_cast<float>(one) : one;
  }
  return made;
}

struct Sizes {
  int64_t rows, lines, columns;
};

template <typename T>
void expectPlainSums(Sizes sizes, bool byColumns, bool areExact) {
  SCOPED_TRACE(testing::Message() << sizes.rows << " rows, " << sizes.lines << " lines, " << sizes.columns
                                  << " columns" << (byColumns ? ", by columns" : ""));
  std::mt19937_64 random(7);
  const auto [m, k, n] = sizes;
  const auto factors = numbers<T>(static_cast<size_t>(m * k), random, areExact),
             matrix = numbers<T>(static_cast<size_t>(k * n), random, areExact),
             start = numbers<T>(static_cast<size_t>(m * n), random, areExact);
  const int64_t lineStride = byColumns ? 1 : n, columnStride = byColumns ? k : 1;
  std::vector<T> expected = start, sums = start;
  for (int64_t r = 0; r < m; ++r) {
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j) {
        T& sum = expected[static_cast<size_t>(r * n + j)];
        sum = multiplyAdd(sum, factors[static_cast<size_t>(r * k + p)],
                          matrix[static_cast<size_t>(p * lineStride + j * columnStride)]);
      }
    }
  }
  std::vector<DotRow<T>> rows;
  for (int64_t r = 0; r < m; ++r) rows.push_back({sums.data() + r * n, factors.data() + r * k});
  addProducts<T>(rows, {matrix.data(), k, n, lineStride, columnStride}, areExact);
  EXPECT_EQ(sums, expected);
}

// Whole tiles, parts of them, and panels cut in every direction.
constexpr Sizes kSizes[] = {{1, 1, 1}, {3, 5, 2}, {8, 16, 16},  {9, 7, 17},   {20, 300, 33},
                            {5, 0, 8}, {0, 4, 4}, {4, 257, 64}, {17, 520, 7}, {33, 64, 96}};

TEST(DotRows, OfEveryTypeAreThePlainSums) {
  for (const Sizes sizes : kSizes) {
    for (const bool byColumns : {false, true}) {
      expectPlainSums<double>(sizes, byColumns, false);
      expectPlainSums<float>(sizes, byColumns, false);
      expectPlainSums<int64_t>(sizes, byColumns, false);
      expectPlainSums<std::complex<float>>(sizes, byColumns, false);
      expectPlainSums<std::complex<double>>(sizes, byColumns, false);
    }
  }
}

TEST(DotRows, ThatAreExactAreTheSameAtOnce) {
  for (const Sizes sizes : kSizes) {
    expectPlainSums<double>(sizes, false, true);
    expectPlainSums<double>(sizes, true, true);
  }
}

}  // namespace
}  // namespace hilo
