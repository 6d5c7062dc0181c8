#include "core/hlo/eval/compare.h"

#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

LiteralDifference differenceOf(const std::string& a, const std::string& b,
                               const CompareTolerance& tolerance = {}) {
  const auto differences = compareLiterals(literalOf(a), literalOf(b), tolerance);
  if (!differences || differences->size() != 1) {
    ADD_FAILURE() << a << " and " << b;
    return {};
  }
  return (*differences)[0];
}

TEST(Compare, CountsErrorsInEveryMeasure) {
  const auto d = differenceOf("f32[2,2] {{1, 2}, {3, 4}}", "f32[2,2] {{1, 2}, {2, 4}}");
  EXPECT_EQ(d.mismatches, 1);
  EXPECT_EQ(d.bitDifferences, 1);
  EXPECT_EQ(d.maxAbsError, 1);
  EXPECT_EQ(d.maxRelError, 0.5);
  EXPECT_EQ(d.maxUlpError, 1 << 22);  // half of the 2^23 values between 2 and 4
  EXPECT_EQ(d.firstMismatch, 2);
  EXPECT_EQ(d.firstMismatchText, "[1,0]: 3 and 2");
  EXPECT_EQ(d.decadeHistogram[0], 3);
  EXPECT_EQ(d.decadeHistogram[21], 1);
}

TEST(Compare, WhatIsOffFromZeroIsInfinitelyFarRelatively) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(differenceOf("f32[2] {5.97, 1}", "f32[2] {0, 1}").maxRelError, kInfinity);
  EXPECT_EQ(differenceOf("s32[1] {3}", "s32[1] {0}").maxRelError, kInfinity);
  EXPECT_EQ(differenceOf("f32[1] {nan}", "f32[1] {1}").maxRelError, kInfinity);
  EXPECT_EQ(differenceOf("f32[1] {0}", "f32[1] {-0}").maxRelError, 0);
}

TEST(Compare, UnitsInTheLastPlaceCrossZero) {
  EXPECT_EQ(differenceOf("f32[1] {1e-45}", "f32[1] {-1e-45}").maxUlpError, 2);
  EXPECT_EQ(differenceOf("f32[1] {0}", "f32[1] {-0}").maxUlpError, 0);
  EXPECT_EQ(differenceOf("f64[1] {1}", "f64[1] {1.0000000000000002}").maxUlpError, 1);
  EXPECT_EQ(differenceOf("bf16[1] {1}", "bf16[1] {1.015625}").maxUlpError, 2);
}

TEST(Compare, ToleranceFollowsTheType) {
  EXPECT_EQ(differenceOf("f32[1] {1.0000005}", "f32[1] {1}").mismatches, 0);
  EXPECT_EQ(differenceOf("f32[1] {1.00001}", "f32[1] {1}").mismatches, 1);
  EXPECT_EQ(differenceOf("bf16[1] {1.03125}", "bf16[1] {1}").mismatches, 0);
  EXPECT_EQ(differenceOf("f32[1] {1.5}", "f32[1] {1}", {.absolute = 0.5, .relative = 0}).mismatches, 0);
  EXPECT_EQ(differenceOf("s32[1] {5}", "s32[1] {6}", {.absolute = 10, .relative = 1}).mismatches, 1);
}

TEST(Compare, NonFiniteValuesAgreeWithTheirOwnKind) {
  const auto d = differenceOf("f32[5] {nan, inf, -inf, nan, 1}", "f32[5] {nan, inf, inf, 1, inf}");
  EXPECT_EQ(d.mismatches, 3);
  EXPECT_EQ(d.firstMismatch, 2);
  EXPECT_EQ(d.nanA, 2);
  EXPECT_EQ(d.nanB, 1);
  EXPECT_EQ(d.infA, 2);
  EXPECT_EQ(d.infB, 3);
  EXPECT_EQ(d.decadeHistogram.back(), 3);
}

// Arrays longer than the stretches that are compared at once, one of which is the same on both sides.
TEST(Compare, StretchesThatAreTheSameCountAsElementsDo) {
  Literal a(Shape::array(ElementType::F32, {5000}));
  for (size_t i = 0; i < 5000; ++i) a.mutableData<float>()[i] = static_cast<float>(i);
  a.mutableData<float>()[10] = std::numeric_limits<float>::quiet_NaN();
  a.mutableData<float>()[11] = -std::numeric_limits<float>::infinity();
  Literal b = a;
  b.mutableData<float>()[3000] = 3001;
  b.mutableData<float>()[4999] = std::nextafter(4999.0f, 5000.0f);
  const auto differences = compareLiterals(a, b);
  ASSERT_TRUE(differences.has_value());
  const LiteralDifference& d = (*differences)[0];
  EXPECT_EQ(d.mismatches, 1);
  EXPECT_EQ(d.bitDifferences, 2);
  EXPECT_EQ(d.firstMismatch, 3000);
  EXPECT_EQ(d.maxAbsError, 1);
  EXPECT_EQ(d.nanA, 1);
  EXPECT_EQ(d.nanB, 1);
  EXPECT_EQ(d.infA, 1);
  EXPECT_EQ(d.infB, 1);
  EXPECT_EQ(d.decadeHistogram[0], 4998);
  EXPECT_EQ(d.ulpHistogram[0], 4998);
}

TEST(Compare, HistogramsHoldErrorsByTheirMagnitude) {
  // Decade i: errors from 10^(i-21) to before 10^(i-20), ends open. Buckets: 0, 1, 2, 3-4, 5-8, ... units.
  const auto decades =
      differenceOf("f64[7] {1e-30, 1e-20, 9e-20, 1e-19, 0.5, 1e10, 1e200}", "f64[7] {0,0,0,0,0,0,0}");
  EXPECT_EQ(decades.decadeHistogram[1], 3);
  EXPECT_EQ(decades.decadeHistogram[2], 1);
  EXPECT_EQ(decades.decadeHistogram[20], 1);
  EXPECT_EQ(decades.decadeHistogram[31], 2);
  const auto units =
      differenceOf("s32[9] {0, 1, 2, 3, 4, 5, 8, 9, 1073741824}", "s32[9] {0, 0, 0, 0, 0, 0, 0, 0, 0}");
  EXPECT_EQ(std::vector(units.ulpHistogram.begin(), units.ulpHistogram.begin() + 6),
            (std::vector<int64_t>{1, 1, 1, 2, 2, 1}));
  EXPECT_EQ(units.ulpHistogram.size(), 32u);
  EXPECT_EQ(units.ulpHistogram.back(), 1);
}

TEST(Compare, TuplesLeafByLeaf) {
  std::vector<Literal> parts = {literalOf("s32[] 1"), literalOf("pred[2] {1,0}")};
  const Literal a = Literal::tuple({Literal::tuple(parts), literalOf("c64[1] {(1,2)}")});
  parts[1] = literalOf("pred[2] {1,1}");
  const Literal b = Literal::tuple({Literal::tuple(parts), literalOf("c64[1] {(1,3)}")});
  const auto differences = compareLiterals(a, b);
  ASSERT_TRUE(differences.has_value());
  ASSERT_EQ(differences->size(), 3u);
  EXPECT_EQ((*differences)[0].mismatches, 0);
  EXPECT_EQ((*differences)[1].path, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ((*differences)[1].firstMismatchText, "[1]: false and true");
  EXPECT_EQ((*differences)[2].maxAbsError, 1);
  EXPECT_FALSE(agrees(*differences));
  EXPECT_EQ(compareLiterals(a, parts[0]).error().kind, "shape-mismatch");
}

// Padding is no part of it.
TEST(Compare, RealPartsAndTheirSizes) {
  const auto sized = [](std::string_view text, std::vector<int64_t> sizes) {
    Literal literal = literalOf(text);
    literal.setDynamicSizes(std::move(sizes));
    return literal;
  };
  const Literal a = sized("f32[2,3] {{1, 2, 7}, {3, 4, 7}}", {2, 2}),
                b = sized("f32[2,3] {{1, 2, 8}, {3, 5, 8}}", {2, 2});
  const auto same = compareLiterals(a, a), other = compareLiterals(a, b);
  ASSERT_TRUE(same.has_value() && other.has_value());
  EXPECT_TRUE(agrees(*same));
  EXPECT_EQ((*same)[0].elements, 4);
  EXPECT_EQ((*other)[0].mismatches, 1);
  EXPECT_EQ((*other)[0].firstMismatchText, "[1,1]: 4 and 5");
  const auto bound = literalOf("f32[2,3] {{0, 0, 0}, {0, 2, 0}}");
  EXPECT_TRUE(agrees(*compareLiterals(a, b, {}, &bound)));
  const auto shorter = compareLiterals(a, sized("f32[2,3] {{1, 2, 7}, {3, 4, 7}}", {1, 2}));
  EXPECT_FALSE(agrees(*shorter));
  EXPECT_EQ((*shorter)[0].firstMismatchText, "sizes [2,2] and [1,2]");
  EXPECT_FALSE(agrees(*compareLiterals(a, literalOf("f32[2,3] {{1, 2, 7}, {3, 4, 7}}"))));
  EXPECT_TRUE(agrees(*compareLiterals(sized("s32[2] {1, 2}", {0}), sized("s32[2] {3, 4}", {0}))));
}

}  // namespace
}  // namespace hilo
