// Orders of dimensions through transposes, reductions and reshapes; expected values by hand.
#include "core/analysis/dimension_order.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

Shape f32(std::initializer_list<int64_t> dimensions) { return Shape::array(ElementType::F32, dimensions); }
using Order = DimensionOrder;

TEST(DimensionOrder, IsTheLayoutsFromMajorToMinor) {
  const Layout columns{.minorToMajor = {0, 2, 1}};
  EXPECT_EQ(majorToMinor(f32({2, 3, 4})), (Order{0, 1, 2}));
  EXPECT_EQ(majorToMinor(f32({2, 3, 4}).withLayout(&columns)), (Order{1, 2, 0}));
  EXPECT_EQ(layoutStrides(f32({2, 3, 4}).withLayout(&columns)), (std::vector<int64_t>{1, 8, 2}));
  EXPECT_EQ(layoutText({1, 2, 0}), "{0,2,1}");
}

TEST(DimensionOrder, OfSizeOneDoesNotMatter) {
  EXPECT_TRUE(sameMemoryOrder(f32({4, 1}), inDimensionOrder(f32({4, 1}), {1, 0})));
  EXPECT_FALSE(sameMemoryOrder(f32({4, 2}), inDimensionOrder(f32({4, 2}), {1, 0})));
}

// [2,3,4] in plain order, transposed to [4,2,3]: dimension 1 of the result is the operand's 0, the slowest.
TEST(DimensionOrder, GoesThroughTransposes) {
  const std::vector<int64_t> permutation = {2, 0, 1};
  EXPECT_EQ(throughTranspose({0, 1, 2}, permutation), (Order{1, 2, 0}));
  EXPECT_EQ(backThroughTranspose({1, 2, 0}, permutation), (Order{0, 1, 2}));
  EXPECT_EQ(backThroughTranspose({0, 1, 2}, permutation), (Order{2, 0, 1}));
}

TEST(DimensionOrder, LosesWhatIsFolded) {
  const std::vector<int64_t> folded = {1};
  EXPECT_EQ(throughReduction({2, 1, 0}, folded), (Order{1, 0}));
}

TEST(DimensionOrder, GoesThroughReshapesThatSplitAndJoin) {
  // Columns first, and the rows split: the columns stay first.
  EXPECT_EQ(throughReshape(f32({6, 4}), {1, 0}, f32({2, 3, 4})), (Order{2, 0, 1}));
  EXPECT_EQ(throughReshape(f32({2, 3, 4}), {2, 0, 1}, f32({6, 4})), (Order{1, 0}));
  // Rows joined whose parts lie apart.
  EXPECT_EQ(throughReshape(f32({2, 3, 4}), {1, 2, 0}, f32({6, 4})), std::nullopt);
  // Joined and split where the borders do not agree.
  EXPECT_EQ(throughReshape(f32({4, 6}), {0, 1}, f32({3, 8})), (Order{0, 1}));
  EXPECT_EQ(throughReshape(f32({4, 6}), {1, 0}, f32({3, 8})), std::nullopt);
}

TEST(DimensionOrder, GoesThroughReshapesWithOnes) {
  EXPECT_EQ(throughReshape(f32({6, 4}), {0, 1}, f32({1, 6, 1, 4})), (Order{0, 1, 2, 3}));
  EXPECT_EQ(throughReshape(f32({6, 1, 4}), {2, 1, 0}, f32({6, 4})), (Order{1, 0}));
  EXPECT_EQ(throughReshape(f32({1, 1}), {1, 0}, f32({})), (Order{}));
}

TEST(DimensionOrder, OfOtherCountsIsNone) {
  EXPECT_EQ(throughReshape(f32({0, 4}), {0, 1}, f32({4, 0})), std::nullopt);
  EXPECT_EQ(throughReshape(f32({2, 4}), {0, 1}, f32({3, 3})), std::nullopt);
}

}  // namespace
}  // namespace hilo
