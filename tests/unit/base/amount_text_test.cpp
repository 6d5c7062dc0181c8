#include "core/base/amount_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace hilo {
namespace {

TEST(AmountText, BytesAreInPowersOf1024) {
  EXPECT_EQ(amount::bytes(0), "0 B");
  EXPECT_EQ(amount::bytes(1023), "1023 B");
  EXPECT_EQ(amount::bytes(1536), "1.50 KiB");
  EXPECT_EQ(amount::bytes(1 << 19), "512 KiB");
  EXPECT_EQ(amount::bytes(int64_t{3} << 30), "3.00 GiB");
  EXPECT_EQ(amount::bytes(int64_t{7} << 60), "7.00 EiB");
}

TEST(AmountText, BytesThatAreNotKnownOrTooManyAreNamed) {
  EXPECT_EQ(amount::bytes(-1), "unknown");
  EXPECT_EQ(amount::bytes(std::numeric_limits<int64_t>::max()), ">= 8 EiB");
}

// 1,048,575 bytes are 1023.999 KiB.
TEST(AmountText, WhatRoundsToTheNextUnitIsWrittenInIt) {
  EXPECT_EQ(amount::bytes((1 << 20) - 1), "1.00 MiB");
  EXPECT_EQ(amount::duration(999'999), "1.00 ms");
  EXPECT_EQ(amount::quantity(999'600), "1.00 M");
}

TEST(AmountText, ThreeDigitsMatter) {
  EXPECT_EQ(amount::duration(9'994), "9.99 µs");
  EXPECT_EQ(amount::duration(9'996), "10.0 µs");
  EXPECT_EQ(amount::duration(99'960), "100 µs");
}

TEST(AmountText, CountsHaveSeparators) {
  EXPECT_EQ(amount::count(0), "0");
  EXPECT_EQ(amount::count(999), "999");
  EXPECT_EQ(amount::count(1000), "1,000");
  EXPECT_EQ(amount::count(1'234'567), "1,234,567");
  EXPECT_EQ(amount::count(-1000), "-1,000");
  EXPECT_EQ(amount::count(-100), "-100");
}

TEST(AmountText, OneThingHasNoS) {
  EXPECT_EQ(amount::countOf(1, "step"), "1 step");
  EXPECT_EQ(amount::countOf(0, "step"), "0 steps");
  EXPECT_EQ(amount::countOf(1234, "step"), "1,234 steps");
  EXPECT_EQ(amount::countOf(2, "index", "indices"), "2 indices");
}

TEST(AmountText, Durations) {
  EXPECT_EQ(amount::duration(0), "0 ns");
  EXPECT_EQ(amount::duration(0.25), "0.25 ns");
  EXPECT_EQ(amount::duration(12.5), "12.5 ns");
  EXPECT_EQ(amount::duration(812), "812 ns");
  EXPECT_EQ(amount::duration(1'240'000), "1.24 ms");
  EXPECT_EQ(amount::duration(25e9), "25.0 s");
  EXPECT_EQ(amount::duration(-1), "unknown");
}

TEST(AmountText, QuantitiesInPowersOf1000) {
  EXPECT_EQ(amount::quantity(12), "12");
  EXPECT_EQ(amount::quantity(1536), "1.54 k");
  EXPECT_EQ(amount::quantity(-2e9), "-2.00 G");
  EXPECT_EQ(amount::quantity(0.00125), "0.00125");
  EXPECT_EQ(amount::flops(12), "12 flops");
  EXPECT_EQ(amount::flops(1), "1 flop");
  EXPECT_EQ(amount::flops(1'200'000'000), "1.20 Gflops");
}

}  // namespace
}  // namespace hilo
