#include "core/analysis/kernel_checks/grid_order.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

std::vector<GridPoint> snake(int64_t rows, int64_t columns, int minorDimension, int64_t width) {
  std::vector<GridPoint> order;
  for (int64_t step = 0; step < rows * columns; ++step)
    order.push_back(snakePoint(step, rows, columns, minorDimension, width));
  return order;
}

TEST(GridOrder, TheSnakeTurnsAtTheEndOfABand) {
  const auto order = snake(8, 8, 0, 2);
  EXPECT_EQ(order[0], (GridPoint{0, 0}));
  EXPECT_EQ(order[1], (GridPoint{1, 0}));
  EXPECT_EQ(order[15], (GridPoint{1, 7}));
  EXPECT_EQ(order[16], (GridPoint{2, 7}));  // the second band goes back
  EXPECT_EQ(order[31], (GridPoint{3, 0}));
  EXPECT_EQ(order[32], (GridPoint{4, 0}));
}

TEST(GridOrder, EveryPointComesOnceWhateverTheWidth) {
  for (int64_t rows = 1; rows <= 9; ++rows) {
    for (int64_t columns = 1; columns <= 9; ++columns) {
      for (int64_t width = 1; width <= 10; ++width) {
        for (const int minorDimension : {0, 1}) {
          const auto wrong = notABijection(snake(rows, columns, minorDimension, width), rows, columns);
          ASSERT_TRUE(wrong);
          EXPECT_FALSE(wrong->has_value()) << rows << "x" << columns << " by " << width << ": " << **wrong;
        }
      }
    }
  }
}

// Without a last band of its own: the bug that a width that does not divide had.
TEST(GridOrder, ABandTooWideIsFound) {
  std::vector<GridPoint> order;
  for (int64_t step = 0; step < 15; ++step) {
    const int64_t band = step / (2 * 3);
    order.push_back({band * 2 + step % 2, step / 2 % 3});
  }
  const auto wrong = notABijection(order, 5, 3);
  ASSERT_TRUE(wrong && *wrong);
  EXPECT_EQ(**wrong, "(5, 0) at 13 is outside of the grid of 5 x 3");
}

TEST(GridOrder, SaysWhatComesTwiceAndWhatNever) {
  EXPECT_EQ(**notABijection({{0, 0}, {0, 1}, {0, 0}}, 1, 2), "(0, 0) comes at 0 and again at 2");
  EXPECT_EQ(**notABijection({{0, 0}}, 1, 2), "(0, 1) never comes");
  EXPECT_FALSE(notABijection({}, int64_t{1} << 30, int64_t{1} << 30));
}

}  // namespace
}  // namespace hilo
