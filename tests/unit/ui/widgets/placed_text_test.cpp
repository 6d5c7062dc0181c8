#include "ui/widgets/placed_text.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

// Cells of 10 x 20 pixels; text begins at 56, behind a gutter of 50.
class PlacedTextTest : public testing::Test {
 protected:
  PlacedText at(int firstRow, int firstColumn = 0) const {
    return {shown, {.cellWidth = 10, .rowHeight = 20, .gutterWidth = 50}, firstRow, firstColumn, {256, 60}};
  }

  ShownText shown;
};

TEST_F(PlacedTextTest, APointIsARowAndAColumnOfTheText) {
  shown.setContent(std::make_shared<const std::string>("abc\n%name.1 x\nlast"));
  EXPECT_EQ(at(0).rowsInSight(), 3);
  EXPECT_EQ(at(0).columnsInSight(), 20);
  EXPECT_EQ(at(0).positionAt({56 + 11, 5}), (TextPosition{0, 1}));
  EXPECT_EQ(at(0).positionAt({56 + 18, 5}), (TextPosition{0, 2})) << "the nearer end of the cell";
  EXPECT_EQ(at(0).positionAt({250, 5}), (TextPosition{0, 3})) << "no further than the line";
  EXPECT_EQ(at(1, 2).positionAt({56 + 11, 5}), (TextPosition{1, 3})) << "scrolled";
  EXPECT_EQ(at(0).positionAt({56, 1000})->line, 2U) << "below the last row";
  EXPECT_FALSE(at(0).lineRowAt(1000));
  EXPECT_EQ(at(0).nameAt({56 + 25, 25}), "name.1");
  EXPECT_EQ(at(0).nameAt({56 + 75, 25}), "");
  EXPECT_EQ(at(0).nameAt({20, 25}), "") << "the gutter is no part of a name";
}

TEST_F(PlacedTextTest, RegionsAreFoldedInTheGutterAndOnTheDots) {
  shown.setContent(std::make_shared<const std::string>("head {\nin\n}\n"));
  EXPECT_EQ(at(0).foldAt({10, 5}), 0U);
  EXPECT_FALSE(at(0).foldAt({10, 25})) << "no region begins there";
  const QPoint dots(56 + 75, 5);
  EXPECT_FALSE(at(0).foldAt(dots)) << "it is open";
  shown.setFolded(0, true);
  EXPECT_EQ(at(0).foldAt(dots), 0U);
}

TEST_F(PlacedTextTest, RowsWithoutALineHaveThePlaceAboveThem) {
  shown.setContent(std::make_shared<const std::string>("ab\ncd"));
  shown.setRows({{TextRow::Kind::kGap, 3}, {TextRow::Kind::kLine, 1}, {TextRow::Kind::kFiller}});
  EXPECT_EQ(at(0).gapAt(5), 0);
  EXPECT_FALSE(at(0).gapAt(25));
  EXPECT_FALSE(at(0).positionAt({56, 5})) << "no line stands above";
  EXPECT_EQ(at(0).positionAt({56, 45}), (TextPosition{1, 0}));
}

}  // namespace
}  // namespace hilo
