#include "core/analysis/physical_layout.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

Shape shapeOf(std::initializer_list<int64_t> dimensions, std::vector<int64_t> minorToMajor,
              std::vector<std::vector<int64_t>> tiles = {}) {
  Layout layout;
  layout.minorToMajor = std::move(minorToMajor);
  for (auto& tile : tiles) layout.tiles.push_back({std::move(tile)});
  return Shape::array(ElementType::F32, std::span<const int64_t>(dimensions.begin(), dimensions.size()),
                      &layout);
}

int64_t position(const PhysicalLayout& layout, std::initializer_list<int64_t> index) {
  return layout.positionOf(std::span<const int64_t>(index.begin(), index.size()));
}

TEST(PhysicalLayout, WithoutTilesDimensionsFollowTheLayout) {
  const auto rows = physicalLayout(shapeOf({3, 5}, {1, 0})),
             columns = physicalLayout(shapeOf({3, 5}, {0, 1}));
  ASSERT_TRUE(rows && columns);
  EXPECT_EQ(position(*rows, {2, 3}), 13);
  EXPECT_EQ(position(*columns, {2, 3}), 11);
  EXPECT_EQ(rows->paddedElements, 15);
}

// The example of XLA's docs/tiled_layout.md: f32[3,5]{1,0:T(2,2)}, element (2,3) at 17 of 24.
TEST(PhysicalLayout, TilesArePaddedAndLaidOutOneAfterTheOther) {
  const auto tiled = physicalLayout(shapeOf({3, 5}, {1, 0}, {{2, 2}}));
  ASSERT_TRUE(tiled);
  EXPECT_EQ(tiled->bounds, (std::vector<int64_t>{2, 3, 2, 2}));
  EXPECT_EQ(tiled->paddedElements, 24);
  EXPECT_EQ(position(*tiled, {2, 3}), 17);
  EXPECT_EQ(position(*tiled, {0, 0}), 0);
  EXPECT_EQ(position(*tiled, {1, 1}), 3);
  EXPECT_EQ(position(*tiled, {0, 2}), 4);
}

TEST(PhysicalLayout, TilesWithinTiles) {
  // bf16-like {1,0:T(4,8)(2,1)}: within a tile, rows two by two.
  const auto nested = physicalLayout(shapeOf({4, 8}, {1, 0}, {{4, 8}, {2, 1}}));
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->paddedElements, 32);
  EXPECT_EQ(position(*nested, {1, 0}), 1);
  EXPECT_EQ(position(*nested, {0, 1}), 2);
  EXPECT_EQ(position(*nested, {2, 0}), 16);
  // Every element has a place of its own.
  std::vector<bool> taken(32, false);
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t k = 0; k < 8; ++k) taken[static_cast<size_t>(position(*nested, {i, k}))] = true;
  }
  EXPECT_EQ(std::count(taken.begin(), taken.end(), true), 32);
}

TEST(PhysicalLayout, WhatCannotBeFollowedIsLeftAlone) {
  EXPECT_FALSE(physicalLayout(Shape::array(ElementType::F32, {3})));
  EXPECT_FALSE(physicalLayout(Shape::token()));
  EXPECT_FALSE(physicalLayout(shapeOf({3, 5}, {1, 0}, {{Tile::kCombineDimension, 2}})));
  EXPECT_FALSE(physicalLayout(shapeOf({3}, {0}, {{2, 2}})));
  EXPECT_FALSE(physicalLayout(shapeOf({3, 5}, {1, 1})));
}

}  // namespace
}  // namespace hilo
