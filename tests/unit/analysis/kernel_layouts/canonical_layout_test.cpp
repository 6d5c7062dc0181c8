#include <gtest/gtest.h>

#include "core/analysis/kernel_layouts/layout_families.h"
#include "core/analysis/kernel_layouts/register_map.h"

namespace hilo {
namespace {

// All places of all elements, in order.
std::vector<RegisterPlace> allPlaces(const TiledLayout& layout, const Sizes& shape) {
  const auto map = RegisterMap::of(layout, shape);
  EXPECT_TRUE(map) << toString(map.error());
  std::vector<RegisterPlace> places;
  for (int64_t position = 0; position < elementCount(shape); ++position)
    std::ranges::copy(map->placesOf(indexAt(position, shape)), std::back_inserter(places));
  return places;
}

ThreadDimension dim(int64_t dimension) { return {.dimension = dimension}; }

TEST(CanonicalLayout, TilesThatDoNothingGo) {
  EXPECT_EQ((TilingSteps{{{8, 8}, {8, 8}}}.canonical()), (TilingSteps{{{8, 8}}}));
  EXPECT_EQ((TilingSteps{{{8, 8}, {1, 4}}}.canonical()), (TilingSteps{{{8, 8}, {4}}}));
  EXPECT_EQ((TilingSteps{{{8, 8}, {1, 1}}}.canonical()), (TilingSteps{{{8, 8}, {1}}}));
  EXPECT_EQ((TilingSteps{{{1, 8}}}.canonical()), (TilingSteps{{{1, 8}}}));
}

TEST(CanonicalLayout, TheMapStaysAndTwiceIsOnce) {
  const std::vector<TiledLayout> layouts{
      // WGMMA with a last tile of (1, 2), as PTX's own description has it.
      {{{{64, 8}, {16, 8}, {8, 8}, {1, 2}}}, {dim(-8)}, {dim(-4), dim(-3)}, -1},
      // A tile twice, a thread dimension of size 1.
      {{{{64, 8}, {64, 8}, {16, 8}, {8, 8}, {2}}}, {dim(-7), dim(-9)}, {dim(-3), dim(-2)}, -1},
      // The vector is a dimension that goes.
      {{{{4, 32}, {1, 32}}}, {dim(-4)}, {dim(-1)}, -2},
  };
  for (const TiledLayout& layout : layouts) {
    ASSERT_TRUE(checkLayout(layout));
    const TiledLayout once = canonical(layout);
    ASSERT_TRUE(checkLayout(once));
    EXPECT_NE(once, layout);
    EXPECT_EQ(canonical(once), once);
    Sizes shape = layout.tiling.tiles.front();
    for (int64_t& size : shape) size *= 3;
    EXPECT_EQ(allPlaces(once, shape), allPlaces(layout, shape));
  }
  EXPECT_EQ(layoutName(layouts[0]), "WGMMA");
  EXPECT_EQ(layoutName(layouts[1]), "WGMMA");
}

// A sum over rows or columns leaves what the tensor cores' row and column layouts are.
TEST(CanonicalLayout, WithoutADimensionThreadsHoldCopies) {
  const TiledLayout wgmma = namedLayouts()[0].layout;
  EXPECT_EQ(layoutName(withoutDimension(wgmma, 1)), "WGMMA_ROW");
  const TiledLayout columns = withoutDimension(wgmma, 0);
  EXPECT_EQ(replication(columns), 32);
  const auto whole = RegisterMap::of(wgmma, {64, 16}), reduced = RegisterMap::of(columns, {16});
  ASSERT_TRUE(whole && reduced);
  // Who holds an element of the column's sum held elements of that column.
  for (int64_t column = 0; column < 16; ++column)
    for (const RegisterPlace& place : reduced->placesOf({column})) {
      bool held = false;
      for (int64_t reg = 0; reg < whole->registersPerThread(); ++reg)
        for (int64_t slot = 0; slot < 2; ++slot)
          held |= (*whole->elementAt({place.warp, place.lane, reg, slot}))[1] == column;
      EXPECT_TRUE(held);
    }
}

}  // namespace
}  // namespace hilo
