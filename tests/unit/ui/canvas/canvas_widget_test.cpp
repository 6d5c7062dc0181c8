#include "ui/canvas/canvas_widget.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "tests/support/scene_maker.h"

namespace hilo {
namespace {

class CanvasWidgetTest : public testing::Test {
 protected:
  void SetUp() override {
    canvas.resize(800, 600);
    canvas.setAnimated(false);
    canvas.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&canvas));
  }

  QPoint screenOf(SceneNodeId id) const {
    const uint32_t node = canvas.index().find(id);
    return canvas.view().toScreen(canvas.scene().nodes[node].rect.center()).toPoint();
  }

  void wheel(QPointF place, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWheelEvent event(place, canvas.mapToGlobal(place), {}, {0, delta}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&canvas, &event);
  }

  CanvasWidget canvas;
};

TEST_F(CanvasWidgetTest, firstSceneIsFitted) {
  canvas.setScene(makeGridScene(10));
  const QRectF shown = canvas.view().toScreen(canvas.index().bounds());
  EXPECT_TRUE(QRectF(canvas.rect()).contains(shown));
  EXPECT_NEAR(shown.center().x(), 400, 1);
}

// As a view does whose scene comes before its splitters have their sizes.
TEST_F(CanvasWidgetTest, whatWasRevealedInASmallWindowIsFittedInALargeOne) {
  canvas.resize(160, 120);
  canvas.setScene(makeGridScene(4));
  canvas.reveal(15);
  EXPECT_FALSE(QRectF(canvas.rect()).contains(canvas.view().toScreen(canvas.index().bounds())));
  canvas.resize(800, 600);
  EXPECT_TRUE(QRectF(canvas.rect()).contains(canvas.view().toScreen(canvas.index().bounds())));
}

TEST_F(CanvasWidgetTest, whatAPersonMovedStaysInAnotherSize) {
  canvas.setScene(makeGridScene(4));
  canvas.reveal(15);
  wheel({200, 150}, 240);
  const ViewTransform view = canvas.view();
  canvas.resize(640, 480);
  EXPECT_TRUE(canvas.view() == view);
}

TEST_F(CanvasWidgetTest, clickSelectsAndEscapeClears) {
  canvas.setScene(makeGridScene(4));
  QSignalSpy spy(&canvas, &CanvasWidget::nodeSelected);
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, screenOf(6));
  ASSERT_EQ(spy.count(), 1);
  EXPECT_EQ(spy[0][0].toULongLong(), 6u);
  EXPECT_EQ(canvas.selected(), 6u);
  QTest::keyClick(&canvas, Qt::Key_Escape);
  EXPECT_EQ(canvas.selected(), kNoSceneNode);
  EXPECT_EQ(spy.count(), 2);
}

TEST_F(CanvasWidgetTest, selectionFromOutsideDoesNotEmit) {
  canvas.setScene(makeGridScene(4));
  QSignalSpy spy(&canvas, &CanvasWidget::nodeSelected);
  canvas.select({3, 9, 1234});
  EXPECT_EQ(canvas.selected(), 3u);
  EXPECT_EQ(spy.count(), 0);
}

TEST_F(CanvasWidgetTest, wheelZoomsAtThePointer) {
  canvas.setScene(makeGridScene(10));
  const QPointF pointer(200, 150);
  const QPointF before = canvas.view().toScene(pointer);
  const double scale = canvas.view().scale;
  wheel(pointer, 240);
  EXPECT_NEAR(canvas.view().scale, scale * 1.44, 1e-6);
  EXPECT_NEAR(canvas.view().toScene(pointer).x(), before.x(), 1e-6);
  wheel(pointer, 120, Qt::ShiftModifier);
  EXPECT_NEAR(canvas.view().scale, scale * 1.44, 1e-6);
  EXPECT_NE(canvas.view().toScene(pointer).x(), before.x());
}

TEST_F(CanvasWidgetTest, dragPansAndDoesNotSelect) {
  canvas.setScene(makeGridScene(4));
  const QPointF before = canvas.view().offset;
  QTest::mousePress(&canvas, Qt::LeftButton, {}, screenOf(5));
  QTest::mouseMove(&canvas, screenOf(5) + QPoint(50, 30));
  const QPoint end = screenOf(5);
  QTest::mouseRelease(&canvas, Qt::LeftButton, {}, end);
  EXPECT_EQ(canvas.view().offset, before + QPointF(50, 30));
  EXPECT_EQ(canvas.selected(), kNoSceneNode);
}

TEST_F(CanvasWidgetTest, doubleClickAndEnterActivate) {
  canvas.setScene(makeGridScene(4));
  QSignalSpy spy(&canvas, &CanvasWidget::nodeActivated);
  QTest::mouseDClick(&canvas, Qt::LeftButton, {}, screenOf(2));
  ASSERT_EQ(spy.count(), 1);
  EXPECT_EQ(spy[0][0].toULongLong(), 2u);
  QTest::keyClick(&canvas, Qt::Key_Return);
  EXPECT_EQ(spy.count(), 2);
}

TEST_F(CanvasWidgetTest, arrowKeysWalkEdgesAndRows) {
  Scene scene = makeGridScene(3);
  scene.points = {{50, 30}, {50, 60}};
  scene.edges.push_back({.from = 0, .to = 3, .firstPoint = 0, .pointCount = 2});
  canvas.setScene(std::move(scene));
  canvas.select({0});
  QTest::keyClick(&canvas, Qt::Key_Down);
  EXPECT_EQ(canvas.selected(), 3u);
  QTest::keyClick(&canvas, Qt::Key_Right);
  EXPECT_EQ(canvas.selected(), 4u);
  QTest::keyClick(&canvas, Qt::Key_Down);  // no user: stays
  EXPECT_EQ(canvas.selected(), 4u);
  QTest::keyClick(&canvas, Qt::Key_Left);
  QTest::keyClick(&canvas, Qt::Key_Up);
  EXPECT_EQ(canvas.selected(), 0u);
}

// h, j, k, l as the arrows; of several edges the straightest; an alias is no way.
TEST_F(CanvasWidgetTest, viKeysWalkToo) {
  Scene scene = makeGridScene(3);
  scene.points = {{50, 30}, {50, 60}};
  scene.edges.push_back({.from = 0, .to = 5, .firstPoint = 0, .pointCount = 2});
  scene.edges.push_back({.from = 0, .to = 3, .firstPoint = 0, .pointCount = 2});
  scene.edges.push_back(
      {.from = 4, .to = 1, .firstPoint = 0, .pointCount = 2, .kind = SceneEdgeKind::kAlias});
  canvas.setScene(std::move(scene));
  canvas.select({0});
  QTest::keyClick(&canvas, Qt::Key_J);
  EXPECT_EQ(canvas.selected(), 3u);
  QTest::keyClick(&canvas, Qt::Key_L);
  EXPECT_EQ(canvas.selected(), 4u);
  QTest::keyClick(&canvas, Qt::Key_J);
  EXPECT_EQ(canvas.selected(), 4u);
  QTest::keyClick(&canvas, Qt::Key_H);
  QTest::keyClick(&canvas, Qt::Key_K);
  EXPECT_EQ(canvas.selected(), 0u);
  QTest::keyClick(&canvas, Qt::Key_L, Qt::ControlModifier);  // somebody else's
  EXPECT_EQ(canvas.selected(), 0u);
}

// With far more nodes than can be moved at once, those in sight still move, and the anchor keeps its place.
TEST_F(CanvasWidgetTest, aLargeSceneOpensSoftly) {
  canvas.setScene(makeGridScene(70));
  canvas.setView({1.0, -canvas.scene().nodes[70 * 35 + 35].rect.topLeft() + QPointF(300, 200)});
  const uint32_t anchor = 70 * 35 + 35, beside = anchor + 1;
  const QPointF place = canvas.view().toScreen(canvas.scene().nodes[anchor].rect.topLeft());
  const QImage before = canvas.grab().toImage();
  Scene moved = makeGridScene(70);
  for (uint32_t i = beside; i < moved.nodes.size(); ++i) moved.nodes[i].rect.translate(0, 150);
  canvas.setAnimated(true);
  canvas.setScene(std::move(moved), anchor);
  // At the start all boxes are still where they were; the edges wait.
  const QImage start = canvas.grab().toImage();
  EXPECT_EQ(start.pixelColor(place.toPoint() + QPoint(8, 8)),
            before.pixelColor(place.toPoint() + QPoint(8, 8)));
  const QPoint besideBefore =
      place.toPoint() +
      QPoint(qRound(canvas.scene().nodes[beside].rect.left() - canvas.scene().nodes[anchor].rect.left()), 0) +
      QPoint(8, 8);
  EXPECT_EQ(start.pixelColor(besideBefore), before.pixelColor(besideBefore));
  QTest::qWait(350);
  const QImage end = canvas.grab().toImage();
  EXPECT_EQ(canvas.view().toScreen(canvas.scene().nodes[anchor].rect.topLeft()), place);
  EXPECT_NE(end.pixelColor(besideBefore), before.pixelColor(besideBefore));
}

TEST_F(CanvasWidgetTest, hoverReportsTheNodeUnderThePointer) {
  canvas.setScene(makeGridScene(4));
  QSignalSpy spy(&canvas, &CanvasWidget::nodeHovered);
  QTest::mouseMove(&canvas, screenOf(9));
  ASSERT_GE(spy.count(), 1);
  EXPECT_EQ(spy.last()[0].toULongLong(), 9u);
  QTest::mouseMove(&canvas, QPoint(2, 2));
  EXPECT_EQ(spy.last()[0].toULongLong(), kNoSceneNode);
}

TEST_F(CanvasWidgetTest, openedGroupKeepsItsTopCentreOnTheScreen) {
  for (bool animated : {false, true}) {
    canvas.setAnimated(animated);
    canvas.setScene(makeGridScene(3));
    const uint32_t node = canvas.index().find(4);
    const QRectF was = canvas.scene().nodes[node].rect;
    const QPointF place = canvas.view().toScreen(QPointF(was.center().x(), was.top()));
    Scene opened = makeGridScene(3);
    opened.nodes[4].rect = QRectF(500, 300, 700, 900);
    opened.nodes[4].group = opened.nodes[4].open = true;
    canvas.setScene(std::move(opened), 4);
    QTest::qWait(animated ? 300 : 0);
    const QRectF now = canvas.scene().nodes[canvas.index().find(4)].rect;
    const QPointF after = canvas.view().toScreen(QPointF(now.center().x(), now.top()));
    EXPECT_NEAR(after.x(), place.x(), 0.01);
    EXPECT_NEAR(after.y(), place.y(), 0.01);
  }
}

TEST_F(CanvasWidgetTest, selectionSurvivesAChangeOfScene) {
  canvas.setScene(makeGridScene(4));
  canvas.select({7});
  canvas.setScene(makeGridScene(3));
  EXPECT_EQ(canvas.selected(), 7u);
  canvas.setScene(makeGridScene(2));
  EXPECT_EQ(canvas.selected(), kNoSceneNode);
}

TEST_F(CanvasWidgetTest, revealBringsANodeToAReadableSize) {
  canvas.setScene(makeGridScene(100));
  canvas.reveal(9'950);
  const QRectF shown = canvas.view().toScreen(canvas.scene().nodes[9'950].rect);
  EXPECT_TRUE(QRectF(canvas.rect()).contains(shown));
  EXPECT_GE(shown.height(), 15);
}

// As a jump to an instruction does: the groups around it open, and boxes are on their way for a while.
TEST_F(CanvasWidgetTest, whatIsRevealedWhileBoxesMoveIsInSightInTheEnd) {
  for (const SceneNodeId far : {9'950, 50, 5'020}) {
    canvas.setScene(makeGridScene(100));
    canvas.reveal(4'000);
    Scene opened = makeGridScene(100);
    for (SceneNode& node : opened.nodes) node.rect.translate(0, 3 * node.rect.top());
    canvas.setScene(std::move(opened), 4'000);
    canvas.reveal(far);
    QTest::qWait(300);
    const QRectF shown = canvas.view().toScreen(canvas.scene().nodes[far].rect);
    EXPECT_TRUE(QRectF(canvas.rect()).contains(shown)) << far;
  }
}

}  // namespace
}  // namespace hilo
