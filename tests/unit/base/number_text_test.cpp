#include "core/base/number_text.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(NumberText, FloatsUseTheFewestDigitsThatReadBack) {
  EXPECT_EQ(numberText(1.0f), "1");
  EXPECT_EQ(numberText(0.1f), "0.1");
  EXPECT_EQ(numberText(3.14159274f), "3.14159274");
  EXPECT_EQ(numberText(1e10f), "1e+10");
  EXPECT_EQ(numberText(-0.0f), "-0");
  EXPECT_EQ(numberText(3.1415926535897931), "3.1415926535897931");
  EXPECT_EQ(numberText(0.1), "0.1");
  EXPECT_EQ(numberText(std::numeric_limits<float>::max()), "3.40282347e+38");
  EXPECT_EQ(numberText(std::numeric_limits<float>::denorm_min()), "1.4013e-45");
}

TEST(NumberText, NarrowFloatsUseTheirOwnDigits) {
  EXPECT_EQ(numberText(F16(0.1f)), "0.099976");
  EXPECT_EQ(numberText(BF16(0.1f)), "0.1001");
  EXPECT_EQ(numberText(F8E4M3FN(448.0f)), "448");
  EXPECT_EQ(numberText(F8E5M2(57344.0f)), "5.7e+04");
  EXPECT_EQ(numberText(F4E2M1FN(-1.5f)), "-1.5");
  EXPECT_EQ(numberText(F8E8M0FNU(0.5f)), "0.5");
}

TEST(NumberText, NonFiniteValuesAndPayloads) {
  EXPECT_EQ(numberText(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(numberText(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(numberText(std::bit_cast<float>(0xffc00000u)), "-nan");
  EXPECT_EQ(numberText(std::bit_cast<float>(0xff800001u)), "-nan(0x1)");
  EXPECT_EQ(numberText(F16::fromBits(0x7e01)), "nan(0x201)");
  EXPECT_EQ(numberText(F8E4M3FN::fromBits(0xff)), "-nan");
  EXPECT_EQ(numberText(F8E5M2::fromBits(0x7d)), "nan(0x1)");
}

TEST(NumberText, OtherTypes) {
  EXPECT_EQ(numberText(true), "true");
  EXPECT_EQ(numberText(int8_t{-8}), "-8");
  EXPECT_EQ(numberText(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(numberText(std::complex<float>(1.5f, -2.0f)), "(1.5, -2)");
}

TEST(NumberText, EveryNarrowPatternReadsBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const F16 half = F16::fromBits(static_cast<uint16_t>(bits));
    const BF16 brain = BF16::fromBits(static_cast<uint16_t>(bits));
    ASSERT_EQ(parseNumber<F16>(numberText(half)).value().bits, bits);
    ASSERT_EQ(parseNumber<BF16>(numberText(brain)).value().bits, bits);
  }
  for (unsigned bits = 0; bits < 0x100; ++bits) {
    const auto byte = static_cast<uint8_t>(bits);
    ASSERT_EQ(parseNumber<F8E4M3FN>(numberText(F8E4M3FN::fromBits(byte))).value().bits, bits);
    ASSERT_EQ(parseNumber<F8E5M2>(numberText(F8E5M2::fromBits(byte))).value().bits, bits);
    ASSERT_EQ(parseNumber<F8E4M3FNUZ>(numberText(F8E4M3FNUZ::fromBits(byte))).value().bits, bits);
    // Two digits of 2^-127 are above it, and that binade rounds up from anything above.
    if (bits > 0) {
      ASSERT_EQ(parseNumber<F8E8M0FNU>(numberText(F8E8M0FNU::fromBits(byte))).value().bits, bits);
    }
  }
}

TEST(NumberText, RangesAreChecked) {
  EXPECT_EQ(parseNumber<int8_t>("-128").value(), -128);
  EXPECT_EQ(parseNumber<int8_t>("128").error().kind, "literal-out-of-range");
  EXPECT_EQ(parseNumber<uint32_t>("-1").error().kind, "literal-out-of-range");
  EXPECT_EQ(parseInteger("7", 4, true).value(), 7);
  EXPECT_EQ(parseInteger("8", 4, true).error().kind, "literal-out-of-range");
  EXPECT_EQ(parseInteger("15", 4, false).value(), 15);
  EXPECT_EQ(parseNumber<uint64_t>("18446744073709551615").value(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(parseNumber<uint64_t>("18446744073709551616").error().kind, "literal-out-of-range");
  EXPECT_EQ(parseNumber<float>("3.5e38").error().kind, "literal-out-of-range");
  EXPECT_EQ(parseNumber<double>("1e400").error().kind, "literal-out-of-range");
  EXPECT_EQ(parseNumber<double>("1e-400").value(), 0);
  EXPECT_EQ(parseNumber<F8E4M3FN>("470").error().kind, "literal-out-of-range");
  EXPECT_EQ(parseNumber<F8E8M0FNU>("0").error().kind, "literal-out-of-range");
  EXPECT_EQ(parseNumber<F16>("nan(0x400)").error().kind, "literal-out-of-range");
  EXPECT_EQ(parseNumber<F8E4M3FN>("nan(0x1)").error().kind, "literal-out-of-range");
}

TEST(NumberText, FormsAreChecked) {
  EXPECT_EQ(parseNumber<float>(".5").value(), 0.5f);
  EXPECT_EQ(parseNumber<float>("1.").value(), 1.0f);
  EXPECT_EQ(parseNumber<bool>("2").value(), true);
  EXPECT_EQ(parseNumber<std::complex<double>>("(1, -inf)").value().imag(),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parseNumber<std::complex<float>>("3").value(), std::complex<float>(3, 0));
  for (const std::string_view bad :
       {"", "-", "1x", "--1", "+1", "infinity", "nan(1)", "nan(0x)", "0x10", "1e"}) {
    EXPECT_EQ(parseNumber<double>(bad).error().kind, "malformed-number") << bad;
  }
  EXPECT_EQ(parseNumber<int32_t>("1.5").error().kind, "malformed-number");
  EXPECT_EQ(parseNumber<std::complex<float>>("(1)").error().kind, "malformed-number");
}

}  // namespace
}  // namespace hilo
