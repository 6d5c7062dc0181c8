#include "core/hlo/eval/normal_elements.h"

#include <bit>
#include <cstring>

#include "core/hlo/eval/kernel.h"

namespace hilo {
namespace {

constexpr int64_t kBlock = 1024;

// The functions below are polynomials, which become vectors, and differ from the C library's by less than
// 2^-49 of a number's length. What both ends of an interval of this share of the length around theirs are
// rounded to, the C library's number is rounded to as well.
constexpr double kBeyondErrors = 0x1p-45;

// (bits >> 12, plus a half) * 2^-52, with every step exact.
[[gnu::always_inline]] inline double fractionOf(uint64_t bits) {
  return std::bit_cast<double>(bits >> 12 | 0x3ff0000000000000u) - 1.0 + 0x1p-53;
}

// Of a number in (0, 1): 2^-k * m with m from the root of a half to that of two, and the series of the
// inverse hyperbolic tangent of (m - 1) / (m + 1).
[[gnu::always_inline]] inline double minusLogarithm(double value) {
  constexpr double kRootOfHalf = std::numbers::sqrt2 / 2;
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t exponent = (bits - std::bit_cast<uint64_t>(kRootOfHalf)) & 0xfff0000000000000u;
  const double m = std::bit_cast<double>(bits - exponent);
  // An integer from -2048 to 2047 is added to the last bits of 2^52 + 2^11.
  constexpr double kZero = 0x1p52 + 0x1p11;
  const double k =
      std::bit_cast<double>(((exponent >> 52) ^ 0x800) | std::bit_cast<uint64_t>(0x1p52)) - kZero;
  const double x = (m - 1) / (m + 1), square = x * x;
  double series = 1.0 / 19;
  for (int n = 17; n >= 3; n -= 2) series = series * square + 1.0 / n;
  return -(k * std::numbers::ln2 + 2 * (x + x * square * series));
}

// cos(2 pi * turn), turn in (0, 1): minus the sine of a quarter less its distance from a half, by its series.
[[gnu::always_inline]] inline double cosineOfTurn(double turn) {
  const double x = 2 * std::numbers::pi * (0.25 - std::abs(turn - 0.5)), square = x * x;
  double series = 1;
  for (int n = 21; n >= 3; n -= 2) series = 1 - series * square * (1.0 / (n * (n - 1)));
  return -x * series;
}

// Intervals in which the next numbers lie.
struct Intervals {
  double low[kBlock], high[kBlock];
};

[[gnu::always_inline]] inline void findEach(uint64_t state, int64_t count, double spread, Intervals& found) {
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t first = state + static_cast<uint64_t>(2 * i + 1) * SeededNumbers::kStep;
    const double u = fractionOf(SeededNumbers::mixed(first));
    const double v = fractionOf(SeededNumbers::mixed(first + SeededNumbers::kStep));
    const double length = __builtin_elementwise_sqrt(2 * minusLogarithm(u)) * spread;
    const double number = length * cosineOfTurn(v), error = length * kBeyondErrors;
    found.low[i] = number - error;
    found.high[i] = number + error;
  }
}

using FindIntervals = void (*)(uint64_t state, int64_t count, double spread, Intervals& found);

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq")]] void findWide(uint64_t state, int64_t count, double spread,
                                                  Intervals& found) {
  findEach(state, count, spread, found);
}
[[gnu::target("avx2,fma")]] void findHalf(uint64_t state, int64_t count, double spread, Intervals& found) {
  findEach(state, count, spread, found);
}
#endif
void findPlain(uint64_t state, int64_t count, double spread, Intervals& found) {
  findEach(state, count, spread, found);
}

FindIntervals findHere() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return findWide;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return findHalf;
#endif
  return findPlain;
}

void fillOneByOne(std::byte* out, ElementType type, int64_t count, double spread, SeededNumbers numbers) {
  double block[kBlock];
  for (int64_t i = 0; i < count; ++i) block[i] = numbers.normal() * spread;
  convertElements(out, type, block, ElementType::F64, count);
}

void fillByIntervals(std::byte* out, ElementType type, int64_t count, double spread, SeededNumbers numbers) {
  static const FindIntervals find = findHere();
  Intervals found;
  find(numbers.state(), count, spread, found);
  std::byte other[kBlock * sizeof(float)];
  convertElements(out, type, found.low, ElementType::F64, count);
  convertElements(other, type, found.high, ElementType::F64, count);
  const int64_t bytes = elementStorageBytes(type);
  if (std::memcmp(out, other, static_cast<size_t>(count * bytes)) == 0) return;
  for (int64_t i = 0; i < count; ++i) {
    if (std::memcmp(out + i * bytes, other + i * bytes, static_cast<size_t>(bytes)) != 0)
      fillOneByOne(out + i * bytes, type, 1, spread, numbers.after(2 * i));
  }
}

}  // namespace

void fillNormals(std::byte* out, ElementType type, int64_t count, double spread, SeededNumbers& numbers) {
  const auto fill = elementBits(type) <= 32 ? fillByIntervals : fillOneByOne;
  for (int64_t start = 0; start < count; start += kBlock) {
    const int64_t size = std::min(kBlock, count - start);
    fill(out + start * elementStorageBytes(type), type, size, spread, numbers);
    numbers = numbers.after(2 * size);
  }
}

}  // namespace hilo
