#include "ui/widgets/treemap.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "ui/widgets/treemap_layout.h"

namespace hilo {
namespace {

TEST(TreemapLayout, AreasAreInProportionAndFillTheWhole) {
  const std::vector<double> values = {6, 6, 4, 3, 2, 2, 1};
  const QRectF area(10, 20, 600, 400);
  const auto rects = layOutTreemap(values, area);
  double sum = 0;
  for (size_t n = 0; n < rects.size(); ++n) {
    EXPECT_NEAR(rects[n].width() * rects[n].height(), values[n] * 10000, 1e-6);
    EXPECT_TRUE(area.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(rects[n]));
    for (size_t k = 0; k < n; ++k) {
      const QRectF both = rects[n].intersected(rects[k]);
      EXPECT_LT(both.width() * both.height(), 1e-6);
    }
    sum += rects[n].width() * rects[n].height();
    EXPECT_LT(std::max(rects[n].width() / rects[n].height(), rects[n].height() / rects[n].width()), 3.0);
  }
  EXPECT_NEAR(sum, 240000, 1e-6);
}

TEST(TreemapLayout, NothingIsDrawnOfNothing) {
  EXPECT_TRUE(layOutTreemap({}, QRectF(0, 0, 10, 10)).empty());
  EXPECT_TRUE(layOutTreemap({0, 0}, QRectF(0, 0, 10, 10))[0].isEmpty());
  EXPECT_TRUE(layOutTreemap({1}, QRectF(0, 0, 0, 10))[0].isEmpty());
  EXPECT_TRUE(layOutTreemap({5, 0}, QRectF(0, 0, 10, 10))[1].isEmpty());
}

class TreemapTest : public testing::Test {
 protected:
  void SetUp() override {
    // root -> a (8: a1 5, a2 3), b (2)
    map_.setNodes({{"", "10", 10, 0, {1, 2}},
                   {"a", "8", 8, 0, {3, 4}},
                   {"b", "2", 2, 0, {}},
                   {"a1", "5", 5, 1, {}},
                   {"a2", "3", 3, 1, {}}});
    map_.resize(500, 300);
    map_.show();
  }
  Treemap map_;
};

TEST_F(TreemapTest, AClickSelectsTheInnermostAndADoubleClickActivates) {
  QSignalSpy changed(&map_, &Treemap::currentChanged), activated(&map_, &Treemap::activated);
  QTest::mouseClick(&map_, Qt::LeftButton, {}, map_.rectOf(3).center());
  EXPECT_EQ(map_.current(), 3);
  EXPECT_EQ(changed.count(), 1);
  // The strip of its parent is the parent.
  QTest::mouseClick(&map_, Qt::LeftButton, {}, map_.rectOf(1).topLeft() + QPoint(5, 5));
  EXPECT_EQ(map_.current(), 1);
  QTest::mouseDClick(&map_, Qt::LeftButton, {}, map_.rectOf(2).center());
  ASSERT_EQ(activated.count(), 1);
  EXPECT_EQ(activated[0][0].toInt(), 2);
}

TEST_F(TreemapTest, KeysGoToNeighboursParentsAndChildren) {
  map_.setCurrent(1);
  QTest::keyClick(&map_, Qt::Key_Right);
  EXPECT_EQ(map_.current(), 2);
  QTest::keyClick(&map_, Qt::Key_Left);
  EXPECT_EQ(map_.current(), 1);
  QTest::keyClick(&map_, Qt::Key_Space);
  EXPECT_EQ(map_.current(), 3);
  QTest::keyClick(&map_, Qt::Key_Backspace);
  EXPECT_EQ(map_.current(), 1);
  QSignalSpy activated(&map_, &Treemap::activated);
  QTest::keyClick(&map_, Qt::Key_Return);
  EXPECT_EQ(activated.count(), 1);
}

// A name that is all there is of the one before costs no strip of its own.
TEST(TreemapChains, AreOneCellOfTheirLast) {
  Treemap map;
  // root -> a -> b -> c (3), d (1)
  map.setNodes({{"", "4", 4, 0, {1}},
                {"a", "4", 4, 0, {2}},
                {"b", "4", 4, 1, {3, 4}},
                {"c", "3", 3, 2, {}},
                {"d", "1", 1, 2, {}}});
  map.resize(400, 200);
  map.show();
  EXPECT_TRUE(map.rectOf(1).isEmpty());
  QTest::mouseClick(&map, Qt::LeftButton, {}, map.rectOf(2).topLeft() + QPoint(5, 5));
  EXPECT_EQ(map.current(), 2);
  QTest::keyClick(&map, Qt::Key_Space);
  EXPECT_EQ(map.current(), 3);
  QTest::keyClick(&map, Qt::Key_Right);
  QTest::keyClick(&map, Qt::Key_Down);
  EXPECT_EQ(map.current(), 4);
  QTest::keyClick(&map, Qt::Key_Backspace);
  EXPECT_EQ(map.current(), 2);
  QTest::keyClick(&map, Qt::Key_Backspace);
  EXPECT_EQ(map.current(), 2);
}

}  // namespace
}  // namespace hilo
