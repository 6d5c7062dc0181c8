// How far results move when arguments do, and what that says of a difference.
#include "core/workspace/run/condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::ElementsAre;

Literal vectorOf(std::vector<float> values) {
  Literal literal(Shape::array(ElementType::F32, {static_cast<int64_t>(values.size())}));
  std::ranges::copy(values, literal.mutableData<float>().begin());
  return literal;
}

TEST(Condition, FloatsGoToANeighbourOrStayAndNothingElseMoves) {
  std::vector<float> values(4000, 1.5f);
  values[0] = 0, values[1] = -0.0f, values[2] = INFINITY, values[3] = std::numeric_limits<float>::max();
  values[4] = std::numeric_limits<float>::denorm_min();
  const Literal moved = movedByUnits(vectorOf(values), 7);
  const auto to = moved.data<float>();
  EXPECT_EQ(to[0], 0);
  EXPECT_TRUE(std::signbit(to[1]));
  EXPECT_EQ(to[2], INFINITY);
  EXPECT_TRUE(std::isfinite(to[3]));
  EXPECT_GT(to[4], 0);
  int up = 0, down = 0;
  for (size_t i = 5; i < values.size(); ++i) {
    up += to[i] == std::nextafter(1.5f, 2.f);
    down += to[i] == std::nextafter(1.5f, 1.f);
    EXPECT_NEAR(to[i], 1.5f, 1.5e-7);
  }
  EXPECT_NEAR(up, 1000, 120);
  EXPECT_NEAR(down, 1000, 120);
  EXPECT_EQ(moved, movedByUnits(vectorOf(values), 7));
  EXPECT_FALSE(moved == movedByUnits(vectorOf(values), 8));
  Literal integers(Shape::array(ElementType::S32, {100}));
  EXPECT_EQ(movedByUnits(Literal::tuple({integers}), 1), Literal::tuple({integers}));
}

TEST(Condition, NarrowTypesMoveByUnitsOfTheirOwn) {
  for (const ElementType type : {ElementType::BF16, ElementType::F16}) {
    Literal ones(Shape::array(type, {64}));
    const uint16_t one = type == ElementType::BF16 ? 0x3f80 : 0x3c00;
    std::ranges::fill(ones.mutableData<uint16_t>(), one);
    const Literal moved = movedByUnits(ones, 3);
    for (const uint16_t bits : moved.data<uint16_t>()) EXPECT_LE(std::abs(bits - one), 1);
    EXPECT_FALSE(moved == ones);
  }
}

// y = 1e4 * a - 1e4 * b of two nearly equal numbers: 1e4 units of them, beside z = a + b.
const char* const kCancels = R"(ENTRY e { a = f32[256] parameter(0)
  b = f32[256] parameter(1)
  k = f32[] constant(10000)
  kk = f32[256] broadcast(k), dimensions={}
  d = f32[256] subtract(a, b)
  y = f32[256] multiply(d, kk)
  z = f32[256] add(a, b)
  ROOT t = (f32[256], f32[256]) tuple(y, z) })";

// The run's own output, its first array off by `by`, is compared with it.
Condition conditionOff(float by) {
  const RunRequest request{.module = moduleOf(kCancels),
                           .arguments = {.kind = ArgumentSource::Kind::Given,
                                         .given = {vectorOf(std::vector<float>(256, 1.25f)),
                                                   vectorOf(std::vector<float>(256, 1.125f))}}};
  auto run = execute(request, JobContext());
  EXPECT_TRUE(run.has_value());
  RunRecord other = *run;
  for (float& value : other.output->mutableElements()[0].mutableData<float>()) value += by;
  const RunComparison comparison = compareRuns(*std::move(run), std::move(other));
  auto condition = measureCondition(request, comparison, 2, JobContext());
  EXPECT_TRUE(condition.has_value());
  return condition.value_or(Condition());
}

TEST(Condition, ADifferenceWithinWhatMovesIsRoundingAndBeyondItIsNone) {
  // A unit of 1.25 and of 1.125 is 1.2e-7: both moved apart, 2.4e-3 of the first result.
  const Condition near = conditionOff(2e-3f);
  ASSERT_EQ(near.leaves.size(), 2u);
  EXPECT_NEAR(near.leaves[0].mostMoved, 2.4e-3, 1e-4);
  EXPECT_NEAR(near.leaves[0].mostOff, 2e-3, 1e-4);
  EXPECT_LT(near.times, 2);
  EXPECT_TRUE(near.isRounding());
  EXPECT_EQ(near.leaves[1].times(), 0) << "it agrees";
  const Condition far = conditionOff(1);
  EXPECT_GT(far.times, 100);
  EXPECT_FALSE(far.isRounding());
}

TEST(Condition, WhatDoesNotMoveIsNoExcuse) {
  LeafCondition still{.mostOff = 1e-30, .rmsOff = 1e-31};
  EXPECT_TRUE(std::isinf(still.times()));
  const LeafCondition lost{
      .mostOff = INFINITY, .rmsOff = INFINITY, .mostMoved = INFINITY, .rmsMoved = INFINITY};
  EXPECT_TRUE(std::isinf(lost.times()));
  // A few elements that are far off show in the most, many that are a little off in the mean.
  const LeafCondition few{.mostOff = 10, .rmsOff = 0.01, .mostMoved = 0.1, .rmsMoved = 0.03};
  EXPECT_DOUBLE_EQ(few.times(), 100);
}

}  // namespace
}  // namespace hilo
