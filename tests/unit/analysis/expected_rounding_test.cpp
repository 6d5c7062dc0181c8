#include "core/analysis/expected_rounding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr double kF32 = 0x1p-23, kBf16 = 0x1p-7;

constexpr const char* kHead = R"(HloModule m

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

most {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT m = f32[] maximum(x, y)
}

ENTRY main {
)";

std::vector<ExpectedRounding> expected(const std::string& text) {
  const auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module) << toString(module.error());
  if (!module) return {};
  const auto rounding = expectedRounding(**module);
  EXPECT_TRUE(rounding) << toString(rounding.error());
  return rounding.value_or(std::vector<ExpectedRounding>());
}

// Of the entry's instructions; one array.
ExpectedRounding ofEntry(const std::string& instructions) {
  const auto all = expected(kHead + instructions + "}\n");
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? ExpectedRounding() : all[0];
}

TEST(ExpectedRounding, ASumGrowsAsTheRootOfItsTerms) {
  const ExpectedRounding dot = ofEntry(R"(  a = f32[8,4096] parameter(0)
  b = f32[4096,8] parameter(1)
  ROOT d = f32[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)");
  EXPECT_DOUBLE_EQ(dot.relative, 64 * kF32);
  EXPECT_EQ(dot.terms, 4096);
  const ExpectedRounding reduce = ofEntry(R"(  a = f32[8,900] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[8] reduce(a, z), dimensions={1}, to_apply=sum
)");
  EXPECT_DOUBLE_EQ(reduce.relative, 30 * kF32);
  const ExpectedRounding convolution = ofEntry(R"(  x = f32[1,16,9,9] parameter(0)
  k = f32[4,16,3,3] parameter(1)
  ROOT c = f32[1,4,7,7] convolution(x, k), window={size=3x3}, dim_labels=bf01_oi01->bf01
)");
  EXPECT_DOUBLE_EQ(convolution.relative, 12 * kF32);  // 16 features of 9 elements
}

TEST(ExpectedRounding, SquaresAddUpAlongTheWorsePath) {
  const ExpectedRounding two = ofEntry(R"(  a = f32[16,9] parameter(0)
  b = f32[9,16] parameter(1)
  c = f32[16,16] parameter(2)
  d = f32[16,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[16,16] dot(d, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[16,16] negate(c)
  t = f32[16,16] transpose(e), dimensions={1,0}
  ROOT r = f32[16,16] maximum(t, n)
)");
  EXPECT_DOUBLE_EQ(two.relative, 5 * kF32);  // 9 and 16; what moves and chooses rounds nothing
  EXPECT_EQ(two.terms, 16);
}

TEST(ExpectedRounding, WhatAddsNoTermsHasOneRoundingAnOperation) {
  const ExpectedRounding r = ofEntry(R"(  a = f32[8,4096] parameter(0)
  z = f32[] constant(0)
  m = f32[8] reduce(a, z), dimensions={1}, to_apply=most
  e = f32[8] exponential(m)
  ROOT p = f32[8] multiply(e, e)
)");
  EXPECT_DOUBLE_EQ(r.relative, std::sqrt(2.) * kF32);
  EXPECT_EQ(r.terms, 1);
}

TEST(ExpectedRounding, NarrowTermsAreAddedUpInF32AndRoundedOnce) {
  const ExpectedRounding dot = ofEntry(R"(  a = bf16[8,4096] parameter(0)
  b = bf16[4096,8] parameter(1)
  ROOT d = bf16[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)");
  EXPECT_DOUBLE_EQ(dot.relative, std::sqrt(4096 * kF32 * kF32 + kBf16 * kBf16));
  const ExpectedRounding widened = ofEntry("  a = bf16[8] parameter(0)\n  ROOT w = f32[8] convert(a)\n");
  EXPECT_EQ(widened.relative, 0);
}

TEST(ExpectedRounding, AnFftHasFourRoundingsAStage) {
  const ExpectedRounding fft = ofEntry(R"(  a = c64[1024] parameter(0)
  ROOT f = c64[1024] fft(a), fft_type=FFT, fft_length={1024}
)");
  EXPECT_DOUBLE_EQ(fft.relative, std::sqrt(40.) * kF32);
}

TEST(ExpectedRounding, ALoopCountsItsTurnsAndAResultHasAnEntryAnArray) {
  const auto all = expected(R"(HloModule m

body {
  p = (s32[], f32[16,16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[16,16] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[16,16] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[16,16]) tuple(j, y)
}

condition {
  p = (s32[], f32[16,16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(25)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY main {
  a = f32[16,16] parameter(0)
  z = s32[] constant(0)
  s = (s32[], f32[16,16]) tuple(z, a)
  ROOT w = (s32[], f32[16,16]) while(s), condition=condition, body=body
}
)");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], ExpectedRounding());
  EXPECT_DOUBLE_EQ(all[1].relative, 20 * kF32);  // 25 turns of 16 terms
}

// One that followed every path of calls would take 2^60 steps.
TEST(ExpectedRounding, CallsThatNeverEndAreRefused) {
  std::string text = "HloModule m\n\nc0 {\n  a = f32[] parameter(0)\n  ROOT r = f32[] negate(a)\n}\n\n";
  for (int i = 1; i < 60; ++i) {
    text += fmt::format(
        "c{0} {{\n  a = f32[] parameter(0)\n  b = f32[] call(a), to_apply=c{1}\n"
        "  ROOT r = f32[] call(b), to_apply=c{1}\n}}\n\n",
        i, i - 1);
  }
  text += "ENTRY e {\n  a = f32[] parameter(0)\n  ROOT r = f32[] call(a), to_apply=c59\n}\n";
  const auto module = parseModuleStrictly(text);
  ASSERT_TRUE(module) << toString(module.error());
  const auto rounding = expectedRounding(**module);
  ASSERT_FALSE(rounding);
  EXPECT_EQ(rounding.error().kind, "too-large");
}

}  // namespace
}  // namespace hilo
