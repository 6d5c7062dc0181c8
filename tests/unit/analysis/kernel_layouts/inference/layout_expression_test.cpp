#include "core/analysis/kernel_layouts/inference/layout_expression.h"

#include "tests/unit/analysis/kernel_layouts/inference/constraint_makers.h"

namespace hilo::inference {
namespace {

// The constant that a step makes; nothing where it stays as it is.
std::optional<LayoutConstant> after(const LayoutConstant& layout, const LayoutStep& step) {
  LayoutExpression expression = LayoutExpression(layout).then(step);
  EXPECT_TRUE(reduceExpression(expression));
  return expression.constant() ? std::optional(*expression.constant()) : std::nullopt;
}

bool isImpossible(const LayoutConstant& layout, const LayoutStep& step) {
  LayoutExpression expression = LayoutExpression(layout).then(step);
  return !reduceExpression(expression);
}

TEST(LayoutExpression, TiledLayoutsLoseTheDimensionsOfTheirTile) {
  EXPECT_EQ(after(family("WGMMA"), ReduceStep{{1}, 2}), family("WGMMA_ROW"));
  EXPECT_EQ(after(family("WGMMA"), ReduceStep{{0}, 2}), family("WGMMA_COL"));
  EXPECT_EQ(after(family("TCGEN05"), ReduceStep{{1}, 2}), family("TCGEN05_ROW"));
  EXPECT_EQ(after(family("TCGEN05"), ReduceStep{{0}, 2}), family("TCGEN05_COL"));
  EXPECT_EQ(after(family("WGMMA"), ReduceStep{{0}, 3}), family("WGMMA"));  // before the tile
  EXPECT_FALSE(after(family("WGMMA"), ReduceStep{{0}, 2, true}));
}

TEST(LayoutExpression, TilesOfThreeRanksAreReduced) {
  const TiledLayout layout{
      {{{1, 2, 64}, {2, 16}, {8}, {4}, {2}, {1}}},
      {{.dimension = -7}},
      {{.dimension = -6}, {.dimension = -5}, {.dimension = -4}, {.dimension = -3}, {.dimension = -2}},
      -1};
  ASSERT_TRUE(checkLayout(layout));
  const TiledLayout reduced{{{{1, 2}, {1}}},
                            {{.times = 4}},
                            {{.dimension = -2}, {.times = 2}, {.times = 2}, {.times = 2}, {.times = 2}},
                            -1};
  EXPECT_EQ(after(RegisterLayout(layout), ReduceStep{{2}, 3}), LayoutConstant(RegisterLayout(reduced)));
}

TEST(LayoutExpression, StridedLayoutsAreReducedWhereWholeTurnsAreBehind) {
  EXPECT_EQ(after(strided({4, 128}, 1), ReduceStep{{0}, 2}), strided({128}, 1));
  EXPECT_EQ(after(strided({4, 128}, 1), ReduceStep{{0}, 2, true}), strided({1, 128}, 1));
  EXPECT_EQ(after(strided({4, 2, 128}, 1), ReduceStep{{0, 1}, 3}), strided({128}, 1));
  EXPECT_EQ(after(strided({4, 2, 128}, 2), ReduceStep{{0}, 3}), strided({2, 128}, 2));
  EXPECT_EQ(after(strided({2, 4, 128}, 1), ReduceStep{{1}, 3, true}), strided({2, 1, 128}, 1));
  EXPECT_FALSE(after(strided({128, 128}, 1), ReduceStep{{1}, 2}));
  EXPECT_FALSE(after(strided({4, 2, 128}, 2), ReduceStep{{0, 1}, 3}));
  EXPECT_FALSE(after(strided({128, 2, 129}, 2), ReduceStep{{0}, 3}));
}

TEST(LayoutExpression, StepsWithinStepsAreDoneFromTheInside) {
  LayoutExpression nested =
      LayoutExpression(strided({2, 4, 128}, 1)).then(ReduceStep{{1}, 3, true}).then(ReduceStep{{0}, 3});
  EXPECT_TRUE(reduceExpression(nested));
  EXPECT_EQ(nested, LayoutExpression(strided({1, 128}, 1)));
}

TEST(LayoutExpression, SplatsAreReducedAndReshapedByTheirShape) {
  EXPECT_EQ(after(splat({128, 8}), ReduceStep{{0}, 2}), splat({8}));
  EXPECT_EQ(after(splat({1024}), ReshapeStep{{1024}, {128, 8}}), splat({128, 8}));
  EXPECT_EQ(after(strided({1024}, 8), ReshapeStep{{1024}, {128, 8}}), strided({128, 8}, 8));
}

TEST(LayoutExpression, TiledLayoutsAreReshapedWhereTheTilesStay) {
  EXPECT_FALSE(after(family("WGMMA"), ReshapeStep{{128, 8}, {129, 8}}));
  EXPECT_FALSE(after(family("WGMMA"), ReshapeStep{{2, 128, 8}, {2, 64, 16}}));
  EXPECT_EQ(after(family("WGMMA"), ReshapeStep{{2, 128, 8}, {256, 8}}), family("WGMMA"));
}

TEST(LayoutExpression, TilesAreTransposedWithTheirDimensions) {
  EXPECT_EQ(after(shared({}, 32), TransposeStep{{}}), shared({}, 32));
  EXPECT_EQ(after(shared({2, 3}, 32), TransposeStep{{1, 0}}), shared({3, 2}, 32));
  EXPECT_EQ(after(shared({3}, 32), TransposeStep{{0}}), shared({3}, 32));
  EXPECT_EQ(after(shared({2, 4, 8}, 32), TransposeStep{{1, 2, 0}}), shared({4, 8, 2}, 32));
  EXPECT_EQ(after(shared({2, 4, 8}, 32), TransposeStep{{2, 1, 0}}), shared({8, 4, 2}, 32));
  EXPECT_EQ(after(shared({2, 4}, 32), TransposeStep{{1, 0, 3, 2}}), shared({4, 2}, 32));
  EXPECT_EQ(after(shared({2, 4}, 32), TransposeStep{{0, 1, 2, 3}}), shared({2, 4}, 32));
}

TEST(LayoutExpression, TiledDimensionsDoNotChangePlacesWithOthers) {
  for (const Sizes& permutation : {Sizes{1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
    EXPECT_TRUE(isImpossible(shared({2, 32}, 0), TransposeStep{permutation})) << tupleText(permutation);
  EXPECT_TRUE(isImpossible(shared({2, 4}, 0), TransposeStep{{2, 3, 1, 0}}));
}

TEST(LayoutExpression, TilesAreCollapsedWhereTheirElementsAreNeighbours) {
  EXPECT_EQ(after(shared({1, 2, 8}, 32), CollapseStep{{4, 4, 16}, {2, 1}}), shared({2, 8}, 32));
  EXPECT_EQ(after(shared({4, 8}, 32), CollapseStep{{4, 8, 8}, {1, 2}}), shared({32}, 32));
  EXPECT_EQ(after(shared({1, 4, 8}, 32), CollapseStep{{4, 8, 8}, {3}}), shared({32}, 32));
}

TEST(LayoutExpression, OtherTilesCannotBeCollapsed) {
  EXPECT_TRUE(isImpossible(shared({2, 4, 8}, 0), CollapseStep{{3, 4, 8}, {1, 1, 1}}));
  EXPECT_TRUE(isImpossible(shared({2, 4, 8}, 0), CollapseStep{{4, 8, 16}, {2, 1}}));
  EXPECT_TRUE(isImpossible(shared({2, 4}, 0), CollapseStep{{2, 4, 8}, {2, 1}}));
  EXPECT_TRUE(isImpossible(shared({4, 8}, 0), CollapseStep{{4, 16}, {2}}));
  EXPECT_TRUE(isImpossible(shared({4, 1}, 0), CollapseStep{{16, 16}, {2}}));
}

TEST(LayoutExpression, GroupsAreThoseOfTheShape) {
  EXPECT_FALSE(checkStep(CollapseStep{{2, 4, 6}, {0}}));
  EXPECT_FALSE(checkStep(CollapseStep{{2, 4, 6}, {2}}));
  EXPECT_TRUE(checkStep(CollapseStep{{2, 4, 6}, {2, 1}}));
  EXPECT_FALSE(checkStep(ReduceStep{{1, 0}, 2}));
  EXPECT_FALSE(checkStep(TransposeStep{{0, 0}}));
  EXPECT_FALSE(checkStep(ReshapeStep{{4}, {5}}));
}

}  // namespace
}  // namespace hilo::inference
