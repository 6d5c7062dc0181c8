// The functions of the C library that kernels on GPUs have, held to those of this machine in long double.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

// Lists, which clang-format 22 writes another way each time.
// clang-format off
#define UNARY(X)                                                                                          \
  X(exp)                                                                                                  \
  X(expm1) X(log) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) \
      X(atanh) X(cbrt) X(erf)
#define BINARY(X) X(atan2) X(pow) X(fmod) X(hypot)
// clang-format on
#define DECLARE(name) extern "C" double hilo_gpu_##name(double x);
UNARY(DECLARE)
#undef DECLARE
#define DECLARE(name) extern "C" double hilo_gpu_##name(double x, double y);
BINARY(DECLARE)
#undef DECLARE

namespace hilo {
namespace {

constexpr double kSpecial[] = {0.0,
                               -0.0,
                               1,
                               -1,
                               2,
                               -2,
                               3,
                               0.5,
                               -0.5,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               0x1p-1074,
                               -0x1p-1074,
                               0x1p-1022,
                               0x1.fffffffffffffp1023,
                               -0x1.fffffffffffffp1023,
                               710,
                               -746,
                               1e22,
                               0x1.921fb54442d18p+0};

// Units in the last place; infinite where a special value is another, a zero's sign too.
double distance(double got, long double expected) {
  const auto nearest = static_cast<double>(expected);
  if (std::isnan(nearest)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : INFINITY;
  if (nearest == 0 && got == 0) return std::signbit(got) == std::signbit(nearest) ? 0 : INFINITY;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  return static_cast<double>(std::fabs(got - expected) / std::ldexp(1.0L, std::max(exponent - 53, -1074)));
}

class Numbers {
 public:
  double next() {
    switch (random_() % 4) {
      case 0:
        return std::bit_cast<double>(random_());
      case 1:
        return std::uniform_real_distribution<double>(-1, 1)(random_);
      case 2:
        return std::uniform_real_distribution<double>(-30, 30)(random_);
      default:
        return std::uniform_real_distribution<double>(-1000, 1000)(random_);
    }
  }

 private:
  std::mt19937_64 random_{1};
};

constexpr int kTimes = 20000;

#define TEST_UNARY(name)                                                                          \
  TEST(GpuCLibrary, name) {                                                                       \
    Numbers numbers;                                                                              \
    const double most = std::string_view(#name) == "erf" ? 4 : 3;                                 \
    for (int i = 0; i < kTimes; ++i) {                                                            \
      const double x = i < int{std::size(kSpecial)} ? kSpecial[i] : numbers.next();               \
      ASSERT_LE(distance(hilo_gpu_##name(x), std::name(static_cast<long double>(x))), most) << x; \
    }                                                                                             \
  }
UNARY(TEST_UNARY)

#define TEST_BINARY(name)                                                                               \
  TEST(GpuCLibrary, name) {                                                                             \
    const auto check = [](double x, double y) {                                                         \
      const long double expected = std::name(static_cast<long double>(x), static_cast<long double>(y)); \
      ASSERT_LE(distance(hilo_gpu_##name(x, y), expected), 3) << x << " " << y;                         \
    };                                                                                                  \
    for (const double x : kSpecial) {                                                                   \
      for (const double y : kSpecial) check(x, y);                                                      \
    }                                                                                                   \
    Numbers numbers;                                                                                    \
    for (int i = 0; i < kTimes; ++i) {                                                                  \
      const double x = numbers.next();                                                                  \
      check(x, numbers.next());                                                                         \
    }                                                                                                   \
  }
BINARY(TEST_BINARY)

}  // namespace
}  // namespace hilo
