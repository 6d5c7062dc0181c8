// The checks of the public test data mean what they mean there.
#include "core/workspace/check/check_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>

namespace hilo {
namespace {

using testing::HasSubstr;

Literal f32(float value) { return Literal::scalar(ElementType::F32, value); }

std::string check(std::string_view name, float actual, float expected, CheckLimits limits = {}) {
  return checkLiterals(name, f32(actual), f32(expected), limits);
}

uint64_t distance(float a, float b) {
  return ulpDistance(ElementType::F32, std::bit_cast<uint32_t>(a), a, std::bit_cast<uint32_t>(b), b);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(CheckLimits, UlpDistance) {
  EXPECT_EQ(distance(1.0f, std::nextafter(1.0f, 2.0f)), 1u);
  EXPECT_EQ(distance(0.0f, -0.0f), 0u);
  const float smallest = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(distance(smallest, -smallest), 2u);
  EXPECT_EQ(distance(kNan, -kNan), 0u);
  EXPECT_EQ(distance(kInfinity, std::numeric_limits<float>::max()), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(distance(kInfinity, kInfinity), 0u);
}

TEST(CheckLimits, EqualIsOfValues) {
  EXPECT_EQ(check("expect_eq", 0.0f, -0.0f), "");
  EXPECT_THAT(check("expect_eq", kNan, kNan), HasSubstr("not equal"));
  EXPECT_THAT(check("expect_eq", 1.0f, 1.5f), HasSubstr("at []: 1, expected 1.5"));
}

TEST(CheckLimits, AlmostEqualIsAbsolute) {
  EXPECT_EQ(check("expect_almost_eq", 1000.0f, 1000.0005f), "");
  EXPECT_NE(check("expect_almost_eq", 0.0f, 0.002f), "");
  EXPECT_EQ(check("expect_almost_eq", kNan, kNan), "");
  EXPECT_EQ(check("expect_almost_eq", kInfinity, kInfinity), "");
  EXPECT_NE(check("expect_almost_eq", kInfinity, 1.0f), "");
  EXPECT_NE(check("expect_almost_eq", 1.0f, 1.05f, {.tolerance = 0.01}), "");
}

TEST(CheckLimits, CloseCountsUlps) {
  const float next = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  EXPECT_EQ(check("expect_close", 1.0f, next), "");
  EXPECT_THAT(check("expect_close", 1.0f, next, {.maxUlp = 1}), HasSubstr("2 ULP apart, allowed are 0 to 1"));
  EXPECT_NE(check("expect_close", 1.0f, next, {.maxUlp = 5, .minUlp = 3}), "");
}

TEST(CheckLimits, BothPartsOfComplexNumbers) {
  const auto c64 = [](float re, float im) {
    return Literal::scalar(ElementType::C64, std::complex<float>(re, im));
  };
  EXPECT_EQ(checkLiterals("expect_eq", c64(1, 2), c64(1, 2), {}), "");
  EXPECT_THAT(checkLiterals("expect_close", c64(1, 2), c64(1, 3), {}), HasSubstr("at []"));
}

TEST(CheckLimits, ShapesMustAgree) {
  EXPECT_THAT(checkLiterals("expect_eq", f32(1), Literal::scalar(ElementType::S32, 1), {}),
              HasSubstr("shapes differ"));
}

}  // namespace
}  // namespace hilo
