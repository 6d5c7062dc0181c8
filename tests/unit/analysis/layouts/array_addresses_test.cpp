// Elements and addresses: each goes to the other and back, padding belongs to no element.
#include "core/analysis/layouts/array_addresses.h"

#include <gtest/gtest.h>

#include <random>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

ArrayAddresses addressesOf(const char* text) {
  const auto shape = parseShape(text);
  EXPECT_TRUE(shape) << text;
  const auto addresses = arrayAddresses(*shape);
  EXPECT_TRUE(addresses) << text;
  return *addresses;
}

// Every bit of the memory is either of the element that bitOf puts there, or of none; returns the padding.
int64_t checkEveryPlace(const ArrayAddresses& addresses) {
  int64_t padding = 0, elements = 0;
  for (int64_t bit = 8 * addresses.prefixBytes; bit < 8 * addresses.bytes; bit += addresses.elementBits) {
    const auto element = addresses.elementAt(bit);
    if (!element) {
      ++padding;
      continue;
    }
    ++elements;
    EXPECT_EQ(addresses.bitOf(*element), bit);
  }
  EXPECT_EQ(elements, addresses.shape.elementCount());
  return padding;
}

TEST(ArrayAddresses, OrderDecidesWhichDimensionIsDense) {
  const ArrayAddresses rows = addressesOf("f32[3,5]{1,0}"), columns = addressesOf("f32[3,5]{0,1}");
  EXPECT_EQ(rows.bitOf(std::vector<int64_t>{2, 3}), 32 * 13);
  EXPECT_EQ(columns.bitOf(std::vector<int64_t>{2, 3}), 32 * 11);
  EXPECT_EQ(checkEveryPlace(rows) + checkEveryPlace(columns), 0);
  EXPECT_EQ(rows.bytes, 60);
  EXPECT_EQ(rows.wastedBytes(), 0);
  EXPECT_FALSE(rows.elementAt(32 * 15));
  EXPECT_FALSE(rows.elementAt(-1));
}

// f32[3,5]{1,0:T(2,2)} of XLA's docs/tiled_layout.md: 24 places, element (2,3) at 17.
TEST(ArrayAddresses, TilesArePadded) {
  const ArrayAddresses tiled = addressesOf("f32[3,5]{1,0:T(2,2)}");
  EXPECT_EQ(tiled.bytes, 96);
  EXPECT_EQ(tiled.wastedBytes(), 36);
  EXPECT_EQ(checkEveryPlace(tiled), 9);
  EXPECT_EQ(tiled.bitOf(std::vector<int64_t>{2, 3}), 32 * 17);
  EXPECT_EQ(*tiled.elementAt(32 * 17), (std::vector<int64_t>{2, 3}));
}

TEST(ArrayAddresses, ElementsOfFourBitsShareBytes) {
  const ArrayAddresses packed = addressesOf("s4[3,5]{1,0:E(4)}"), whole = addressesOf("s4[3,5]{1,0}");
  EXPECT_EQ(packed.bytes, 8);
  EXPECT_EQ(packed.bitOf(std::vector<int64_t>{0, 1}), 4);
  EXPECT_EQ(whole.bytes, 15);
  EXPECT_EQ(whole.bitOf(std::vector<int64_t>{0, 1}), 8);
}

TEST(ArrayAddresses, WhatHasNoneSaysWhy) {
  EXPECT_FALSE(arrayAddresses(Shape::token()));
  EXPECT_EQ(whyNoAddresses(Shape::token()), "it is no array");
  const auto sparse = parseShape("f32[8,8]{1,0:D(D,C)}");
  ASSERT_TRUE(sparse);
  EXPECT_FALSE(arrayAddresses(*sparse));
  EXPECT_EQ(whyNoAddresses(*sparse), "it is sparse");
  EXPECT_EQ(memorySpaceText(5), "5, of the host");
}

TEST(ArrayAddresses, RandomLayoutsAreBijections) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> sizes(1 + random() % 4);
    for (int64_t& size : sizes) size = 1 + static_cast<int64_t>(random() % 6);
    Layout layout = Layout::descending(sizes.size());
    std::ranges::shuffle(layout.minorToMajor, random);
    for (size_t level = random() % 3; level-- > 0;) {
      std::vector<int64_t> tile(1 + random() % sizes.size());
      for (int64_t& size : tile) size = 1 + static_cast<int64_t>(random() % 4);
      layout.tiles.push_back({tile});
    }
    const auto addresses = arrayAddresses(Shape::array(ElementType::BF16, sizes, &layout));
    ASSERT_TRUE(addresses);
    EXPECT_EQ(2 * checkEveryPlace(*addresses), addresses->wastedBytes());
  }
}

}  // namespace
}  // namespace hilo
