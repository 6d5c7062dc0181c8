// Orders of tiles: each is a bijection, and starts as its name says.
#include "core/analysis/tiling/launch_order.h"

#include <gtest/gtest.h>

#include <set>

namespace hilo {
namespace {

using Tiles = std::vector<std::vector<int64_t>>;

Tiles firstTiles(LaunchOrder order, std::vector<int64_t> counts, int64_t howMany, int64_t group = 8) {
  Tiles tiles;
  for (int64_t i = 0; i < howMany; ++i) tiles.push_back(tileAt(order, counts, i, group));
  return tiles;
}

TEST(LaunchOrder, StartsAsItsNameSays) {
  EXPECT_EQ(firstTiles(LaunchOrder::kRowMajor, {2, 3}, 4), (Tiles{{0, 0}, {0, 1}, {0, 2}, {1, 0}}));
  EXPECT_EQ(firstTiles(LaunchOrder::kTransposed, {2, 3}, 4), (Tiles{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(firstTiles(LaunchOrder::kGrouped, {5, 3}, 7, 2),
            (Tiles{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 0}}));
  EXPECT_EQ(firstTiles(LaunchOrder::kTransposed, {3}, 2), (Tiles{{0}, {1}}));
}

// Batches one after the other; in each, rows and columns have changed places.
TEST(LaunchOrder, TurnsTheLastTwoDimensionsAround) {
  const std::vector<int64_t> counts = {2, 2, 4, 8}, turned = {2, 2, 8, 4};
  for (int64_t i = 0; i < 2 * 2 * 4 * 8; ++i) {
    auto expected = tileAt(LaunchOrder::kRowMajor, turned, i);
    std::swap(expected[2], expected[3]);
    EXPECT_EQ(tileAt(LaunchOrder::kTransposed, counts, i), expected);
  }
}

TEST(LaunchOrder, GoesThroughEachTileOnce) {
  for (const LaunchOrder order : {LaunchOrder::kRowMajor, LaunchOrder::kTransposed, LaunchOrder::kGrouped}) {
    for (const std::vector<int64_t>& counts : Tiles{{}, {4}, {1, 7}, {5, 3}, {2, 5, 3}, {3, 2, 9, 4}}) {
      for (const int64_t group : {1, 2, 8}) {
        int64_t all = 1;
        for (const int64_t count : counts) all *= count;
        std::set<std::vector<int64_t>> seen;
        for (int64_t i = 0; i < all; ++i) {
          const auto tile = tileAt(order, counts, i, group);
          for (size_t d = 0; d < counts.size(); ++d) EXPECT_TRUE(0 <= tile[d] && tile[d] < counts[d]);
          EXPECT_EQ(programOf(order, counts, tile, group), i);
          seen.insert(tile);
        }
        EXPECT_EQ(static_cast<int64_t>(seen.size()), all);
      }
    }
  }
}

}  // namespace
}  // namespace hilo
