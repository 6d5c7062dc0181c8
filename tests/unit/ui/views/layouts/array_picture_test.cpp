// What is under a point of the drawing is what the layout says: over every cell of random arrays.
#include "ui/views/layouts/array_picture.h"

#include <gtest/gtest.h>

#include <random>

#include "core/hlo/text/parse.h"
#include "ui/views/layouts/layout_stripes.h"

namespace hilo {
namespace {

ArrayPicture pictureOf(const char* text, int width = 600) {
  return ArrayPicture(*arrayAddresses(*parseShape(text)), width);
}

void checkEveryCell(const ArrayPicture& picture) {
  const ArrayAddresses& addresses = picture.addresses();
  for (int r = 0; r < picture.rows(); ++r) {
    for (int c = 0; c < picture.columns(); ++c) {
      const auto cell = picture.at(picture.indexCell(r, c).center());
      ASSERT_TRUE(cell);
      EXPECT_EQ(cell->bit, addresses.bitOf(cell->element));
      if (picture.columnDimension() >= 0)
        EXPECT_EQ(cell->element[static_cast<size_t>(picture.columnDimension())], c);
      if (picture.rowDimension() >= 0)
        EXPECT_EQ(cell->element[static_cast<size_t>(picture.rowDimension())], r);
    }
  }
  for (int n = 0; n < picture.memoryCells(); ++n) {
    const auto cell = picture.at(picture.memoryCell(n).center());
    ASSERT_TRUE(cell);
    EXPECT_EQ(cell->bit, 8 * addresses.prefixBytes + n * addresses.elementBits);
    const auto element = addresses.elementAt(cell->bit);
    EXPECT_EQ(cell->element, element.value_or(std::vector<int64_t>()));
  }
}

TEST(ArrayPicture, TheInnermostDimensionsAreDrawn) {
  const ArrayPicture picture = pictureOf("f32[7,3,5]{1,0,2}");
  EXPECT_EQ(picture.rowDimension(), 0);
  EXPECT_EQ(picture.columnDimension(), 1);
  EXPECT_EQ(picture.rows(), 7);
  EXPECT_EQ(picture.columns(), 3);
  EXPECT_TRUE(picture.isCut());
  EXPECT_EQ(cellText(picture.atIndex(1, 2)), "(1, 2, 0) at byte 20");
}

TEST(ArrayPicture, PaddingIsInTheMemoryAlone) {
  const ArrayPicture picture = pictureOf("f32[3,5]{1,0:T(2,2)}");
  EXPECT_FALSE(picture.isCut());
  EXPECT_EQ(picture.memoryCells(), 24);
  EXPECT_EQ(cellText(picture.atMemory(17)), "(2, 3) at byte 68");
  EXPECT_EQ(cellText(picture.atMemory(18)), "padding at byte 72");
}

TEST(ArrayPicture, APointIsWhatTheLayoutSays) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    std::vector<int64_t> sizes(random() % 5);
    for (int64_t& size : sizes) size = 1 + static_cast<int64_t>(random() % 20);
    Layout layout = Layout::descending(sizes.size());
    std::ranges::shuffle(layout.minorToMajor, random);
    if (!sizes.empty() && random() % 2 == 0)
      layout.tiles.push_back({{1 + static_cast<int64_t>(random() % 8)}});
    checkEveryCell(ArrayPicture(*arrayAddresses(Shape::array(ElementType::F16, sizes, &layout)),
                                200 + static_cast<int>(random() % 800)));
  }
}

TEST(ArrayPicture, OutsideIsNothingAndEmptyArraysHaveNoCells) {
  const ArrayPicture picture = pictureOf("f32[2,2]{1,0}");
  EXPECT_FALSE(picture.at({0, 30}));
  EXPECT_FALSE(picture.at({590, 30}));
  EXPECT_FALSE(picture.at({60, picture.height() + 50}));
  EXPECT_FALSE(pictureOf("f32[0,4]{1,0}").at({60, 30}));
}

TEST(LayoutStripes, AreFromMinorToMajorWithTheAxisOfEach) {
  LayoutChainLink link{.shape = *parseShape("f32[4,1,6]{0,1,2}"), .axes = {{{7, 4, 1}}, {}, {{3, 6, 1}}}};
  EXPECT_EQ(stripesOf(link), (std::vector<LayoutStripe>{{0, 4, 7}, {2, 6, 3}}));
  link.axes.clear();
  EXPECT_TRUE(stripesOf(link).empty());
}

}  // namespace
}  // namespace hilo
