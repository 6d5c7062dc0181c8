// Expected values: Python's cmath and decimal arithmetic of 40 digits, and C99's rules where
// XLA follows them.
#include "core/base/complex_functions.h"

#include <gtest/gtest.h>

namespace hilo::complex_functions {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ComplexFunctions, RoundOnceWhereTermsCancel) {
  // |1 + z| is nearly 1: float arithmetic alone loses eight bits of its logarithm.
  const C64 z = log_plus_one(C64(-1.2620574235916138f, -1.0628442764282227f));
  EXPECT_FLOAT_EQ(z.real(), 0.09045697044856386f);
  EXPECT_FLOAT_EQ(z.imag(), -1.812536983279501f);
  // 2a + a^2 + b^2 for a = -b^2 / 2: what is left is a^2 and what a and b themselves were rounded by.
  const C128 tiny = log_plus_one(C128(-5e-17, 1e-8));
  EXPECT_NEAR(tiny.real(), 4.38736674681711706e-33, 1e-39);
}

TEST(ComplexFunctions, StayFiniteWhereTheResultIs) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_DOUBLE_EQ(log_plus_one(C128(largest, largest)).real(), 710.1292864836639);
  EXPECT_DOUBLE_EQ(complex_functions::sqrt(C128(largest, largest)).real(), 1.4730945569055654e154);
  EXPECT_FLOAT_EQ(complex_functions::log(C64(3e38f, 3e38f)).real(), 88.94341941272182f);
}

TEST(ComplexFunctions, ExponentialIsItsFormula) {
  EXPECT_EQ(exponential(C128(kInfinity, 0)), C128(kInfinity, 0));
  EXPECT_EQ(exponential_minus_one(C128(kInfinity, 0)), C128(kInfinity, 0));
  const C128 none = exponential(C128(-kInfinity, kInfinity));
  EXPECT_TRUE(std::isnan(none.real()) && std::isnan(none.imag()));
  const C128 near = exponential_minus_one(C128(1e-20, 1e-20));
  EXPECT_DOUBLE_EQ(near.real(), 1e-20);
  EXPECT_DOUBLE_EQ(near.imag(), 1e-20);
}

TEST(ComplexFunctions, PowersOfInfinity) {
  EXPECT_EQ(power(C64(kInfinity, 0), C64(2, 0)), C64(kInfinity, 0));
  EXPECT_EQ(power(C64(kInfinity, 0), C64(-2, 0)), C64(0, 0));
  EXPECT_EQ(power(C64(0, 0), C64(0, 0)), C64(1, 0));
}

}  // namespace
}  // namespace hilo::complex_functions
