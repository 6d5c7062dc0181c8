// Axes followed through transposes, bitcasts, broadcasts and reductions.
#include "core/analysis/layouts/dimension_axes.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using Pieces = std::vector<AxisPiece>;

std::unique_ptr<Module> parsed(const std::string& line) {
  auto module =
      parseModuleStrictly("HloModule m\nENTRY e {\n  p = f32[4,6]{1,0} parameter(0)\n  " + line + "\n}\n");
  EXPECT_TRUE(module) << line;
  return *std::move(module);
}

// Of the root's result, by fresh axes of its operand: 0 of four, 1 of six.
DimensionAxes ofRoot(const Module& module) {
  AxisNumbers numbers;
  const Instruction& root = *module.entry()->root();
  const Shape operand = root.operand(0)->shape();
  return axesOfResult(root, operand, root.shape(), freshAxes(operand, numbers), numbers);
}

TEST(DimensionAxes, ATransposeGivesThemOtherNumbers) {
  const auto axes = ofRoot(*parsed("ROOT t = f32[6,4]{1,0} transpose(p), dimensions={1,0}"));
  EXPECT_EQ(axes, (DimensionAxes{{{1, 6, 1}}, {{0, 4, 1}}}));
}

TEST(DimensionAxes, ABitcastSplitsAndJoinsWhatLiesTogether) {
  EXPECT_EQ(ofRoot(*parsed("ROOT b = f32[24]{0} bitcast(p)")), (DimensionAxes{{{0, 4, 1}, {1, 6, 1}}}));
  EXPECT_EQ(ofRoot(*parsed("ROOT b = f32[4,2,3]{2,1,0} bitcast(p)")),
            (DimensionAxes{{{0, 4, 1}}, {{1, 2, 3}}, {{1, 3, 1}}}));
  // By its place in memory, whatever the dimensions' numbers.
  EXPECT_EQ(ofRoot(*parsed("ROOT b = f32[6,4]{0,1} bitcast(p)")), (DimensionAxes{{{1, 6, 1}}, {{0, 4, 1}}}));
}

TEST(DimensionAxes, WhatDoesNotAlignBeginsAnew) {
  const auto axes = ofRoot(*parsed("ROOT b = f32[8,3]{1,0} bitcast(p)"));
  EXPECT_EQ(axes, (DimensionAxes{{{0, 4, 1}, {1, 2, 3}}, {{1, 3, 1}}}));
  const auto apart = ofRoot(*parsed("ROOT b = f32[3,8]{1,0} bitcast(p)"));
  EXPECT_GT(apart[0][0].axis, 1);
}

TEST(DimensionAxes, OfAnOperandTheOtherWayRound) {
  const auto module = parsed("ROOT b = f32[5,6,4]{2,1,0} broadcast(p), dimensions={2,1}");
  const Instruction& root = *module->entry()->root();
  AxisNumbers numbers;
  const auto ofResult = freshAxes(root.shape(), numbers);
  const auto axes = axesOfOperand(root, root.operand(0)->shape(), root.shape(), ofResult, numbers);
  EXPECT_EQ(axes, (DimensionAxes{{{2, 4, 1}}, {{1, 6, 1}}}));
}

TEST(DimensionAxes, AnOrderThatLiesAsAnother) {
  const Shape shape = Shape::array(ElementType::F32, {4, 6, 1});
  const DimensionAxes axes = {{{0, 4, 1}}, {{1, 6, 1}}, {}};
  const Pieces swapped = {{1, 6, 1}, {0, 4, 1}}, split = {{1, 2, 3}, {0, 4, 1}, {1, 3, 1}},
               other = {{0, 4, 1}};
  EXPECT_EQ(orderLike(shape, axes, swapped), (DimensionOrder{2, 1, 0}));
  const DimensionAxes fine = {{{0, 4, 1}}, {{1, 2, 3}, {1, 3, 1}}, {}};
  EXPECT_FALSE(orderLike(shape, fine, split));  // the pieces of one dimension lie apart
  EXPECT_FALSE(orderLike(shape, axes, other));  // an axis that is not there
}

}  // namespace
}  // namespace hilo
