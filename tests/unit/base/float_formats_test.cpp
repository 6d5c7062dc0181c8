#include "core/base/float_formats.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

// The value of a pattern by the textbook formula, written apart from the template.
template <typename T>
double decode(unsigned bits) {
  const FloatFormat f = T::format;
  const unsigned magnitude = bits & ((1u << (f.exponentBits + f.mantissaBits)) - 1);
  const double sign = f.isSigned && (bits >> (f.exponentBits + f.mantissaBits)) != 0 ? -1 : 1;
  const unsigned field = magnitude >> f.mantissaBits, fraction = magnitude & ((1u << f.mantissaBits) - 1);
  const double fractionValue = std::ldexp(fraction, -f.mantissaBits);
  if (field == 0 && f.hasZero) return sign * std::ldexp(fractionValue, 1 - f.bias);
  return sign * std::ldexp(1 + fractionValue, static_cast<int>(field) - f.bias);
}

template <typename T>
class EveryFormat : public testing::Test {};
using Formats = testing::Types<F16, BF16, F8E5M2, F8E4M3, F8E3M4, F8E4M3FN, F8E4M3B11FNUZ, F8E5M2FNUZ,
                               F8E4M3FNUZ, F8E8M0FNU, F6E2M3FN, F6E3M2FN, F4E2M1FN>;
TYPED_TEST_SUITE(EveryFormat, Formats);

TYPED_TEST(EveryFormat, WidensByTheFormulaAndNarrowsBack) {
  using T = TypeParam;
  for (unsigned bits = 0; bits < (1u << T::format.width()); ++bits) {
    const T value = T::fromBits(static_cast<typename T::Bits>(bits));
    if (value.isNan()) {
      EXPECT_TRUE(std::isnan(static_cast<float>(value)));
      EXPECT_TRUE(T(static_cast<float>(value)).isNan());
      continue;
    }
    if (value.isInf()) {
      EXPECT_TRUE(std::isinf(static_cast<double>(value)));
    } else {
      EXPECT_EQ(static_cast<double>(value), decode<T>(bits)) << bits;
    }
    EXPECT_EQ(T(static_cast<double>(value)).bits, bits);
    EXPECT_EQ(T(static_cast<float>(value)).bits, bits);
  }
}

// Between two neighbours: below the middle goes down, above goes up, the middle goes to the even pattern.
TYPED_TEST(EveryFormat, RoundsToNearestEvenOnce) {
  using T = TypeParam;
  if (!T::format.hasZero)
    GTEST_SKIP() << "a mantissa of no bits has no even neighbour; ScaleFormatRounding tells";
  for (unsigned bits = 0; bits < T::kHighestBits; ++bits) {
    const double low = decode<T>(bits), high = decode<T>(bits + 1), middle = (low + high) / 2;
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(T(middle).bits, even) << bits;
    ASSERT_EQ(T(std::nextafter(middle, low)).bits, bits) << bits;
    ASSERT_EQ(T(std::nextafter(middle, high)).bits, bits + 1) << bits;
    if (low != 0 && T::format.isSigned) {
      ASSERT_EQ(T(-middle).bits, even | T::kSignBit) << bits;
    }
  }
}

TYPED_TEST(EveryFormat, OverflowGoesWhereTheFormatSays) {
  using T = TypeParam;
  const double top = static_cast<double>(T::highest());
  const double step = top - decode<T>(T::kHighestBits - 1);
  EXPECT_EQ(T(std::nextafter(top + step / 2, 0.0)).bits, T::kHighestBits);
  for (const double value : {top + step, 1e300, static_cast<double>(INFINITY)}) {
    const T up(value), down(-value);
    if (T::hasInfinity) {
      EXPECT_TRUE(up.isInf() && !up.signBit() && down.isInf() && down.signBit());
    } else if (T::hasNan) {
      EXPECT_TRUE(up.isNan() && down.isNan());
    } else {
      EXPECT_EQ(up.bits, T::highest().bits);
      EXPECT_EQ(down.bits, T::lowest().bits);
    }
  }
}

TEST(FloatFormats, SpotValuesOfTheSpecifications) {
  EXPECT_EQ(static_cast<float>(F8E4M3FN::highest()), 448);
  EXPECT_EQ(static_cast<float>(F8E4M3FN::smallestNormal()), 0x1p-6f);
  EXPECT_EQ(static_cast<float>(F8E4M3FN::smallestPositive()), 0x1p-9f);
  EXPECT_EQ(static_cast<float>(F8E5M2::highest()), 57344);
  EXPECT_EQ(static_cast<float>(F8E5M2::smallestPositive()), 0x1p-16f);
  EXPECT_EQ(static_cast<float>(F8E4M3::highest()), 240);
  EXPECT_EQ(static_cast<float>(F8E3M4::highest()), 15.5);
  EXPECT_EQ(static_cast<float>(F8E4M3B11FNUZ::highest()), 30);
  EXPECT_EQ(static_cast<float>(F8E5M2FNUZ::highest()), 57344);
  EXPECT_EQ(static_cast<float>(F8E4M3FNUZ::highest()), 240);
  EXPECT_EQ(static_cast<float>(F8E8M0FNU::highest()), 0x1p127f);
  EXPECT_EQ(static_cast<float>(F8E8M0FNU::lowest()), 0x1p-127f);
  EXPECT_EQ(static_cast<float>(F6E2M3FN::highest()), 7.5);
  EXPECT_EQ(static_cast<float>(F6E3M2FN::highest()), 28);
  EXPECT_EQ(static_cast<float>(F4E2M1FN::lowest()), -6);
  EXPECT_EQ(static_cast<float>(F16::highest()), 65504);
  EXPECT_EQ(static_cast<float>(BF16::epsilon()), 0x1p-7f);
}

TEST(FloatFormats, ZeroesAndNansWithoutASign) {
  EXPECT_EQ(F8E4M3FNUZ(-0.0f).bits, 0);
  EXPECT_EQ(F8E4M3FNUZ(-1e-30f).bits, 0);
  EXPECT_EQ(F8E4M3FNUZ(NAN).bits, 0x80);
  EXPECT_EQ(F8E4M3FN(-0.0f).bits, 0x80);
  EXPECT_EQ(F8E4M3FN(-NAN).bits, 0xff);
  EXPECT_EQ(F4E2M1FN(NAN).bits, 0x8);
  EXPECT_EQ(F8E8M0FNU(0.0f).bits, 0xff);
  EXPECT_EQ(F8E8M0FNU(-1.0f).bits, 0xff);
}

// The scale format's corners: no zero, and a smallest binade that rounds like a denormal one.
TEST(FloatFormats, ScaleFormatRounding) {
  EXPECT_EQ(static_cast<float>(F8E8M0FNU(0x1.8p1f)), 0x1p2f);
  EXPECT_EQ(static_cast<float>(F8E8M0FNU(0x1.8p2f)), 0x1p3f);
  EXPECT_EQ(static_cast<float>(F8E8M0FNU(0x1.7ffffep127f)), 0x1p127f);
  EXPECT_TRUE(F8E8M0FNU(0x1.8p127f).isNan());
  EXPECT_EQ(static_cast<float>(F8E8M0FNU(0x0.800002p-126f)), 0x1p-126f);
}

// 1 + 2^-8 is the middle between two BF16 values; the last bit of the double is below float's precision, so
// rounding through float would lose it and go down to even.
TEST(FloatFormats, NoDoubleRounding) {
  EXPECT_EQ(BF16(1.0 + 0x1p-8).bits, 0x3f80);
  EXPECT_EQ(BF16(1.0 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
  EXPECT_EQ(F16(1.0 + 0x1p-11 + 0x1p-50).bits, 0x3c01);
  EXPECT_EQ(BF16(int64_t{1} << 40).bits, BF16(0x1p40).bits);
  EXPECT_EQ(BF16((int64_t{257} << 40) + 1).bits, BF16(258 * 0x1p40).bits);
  EXPECT_EQ(F16(-3).bits, F16(-3.0).bits);
}

}  // namespace
}  // namespace hilo
