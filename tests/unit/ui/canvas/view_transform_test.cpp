#include "ui/canvas/view_transform.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

constexpr QSizeF kWindow(800, 600);

TEST(ViewTransform, screenAndSceneAreInverse) {
  const ViewTransform view{2.5, {-30, 70}};
  EXPECT_EQ(view.toScreen(QPointF(10, 20)), QPointF(-5, 120));
  EXPECT_EQ(view.toScene(QPointF(-5, 120)), QPointF(10, 20));
  EXPECT_EQ(view.toScreen(QRectF(10, 20, 4, 2)), QRectF(-5, 120, 10, 5));
}

TEST(ViewTransform, zoomKeepsThePointUnderThePointer) {
  for (double factor : {0.01, 0.5, 1.2, 3.0}) {
    const ViewTransform view{1.5, {40, -60}};
    const QPointF pointer(333, 222);
    const ViewTransform zoomed = view.zoomedAt(pointer, factor);
    EXPECT_NEAR(zoomed.scale, 1.5 * factor, 1e-9);
    const QPointF before = view.toScene(pointer), after = zoomed.toScene(pointer);
    EXPECT_NEAR(before.x(), after.x(), 1e-6);
    EXPECT_NEAR(before.y(), after.y(), 1e-6);
  }
}

TEST(ViewTransform, scaleStaysWithinItsLimits) {
  EXPECT_EQ((ViewTransform{1, {}}.zoomedAt({0, 0}, 1e9).scale), ViewTransform::kMaxScale);
  EXPECT_EQ((ViewTransform{1, {}}.zoomedAt({0, 0}, 1e-9).scale), ViewTransform::kMinScale);
}

struct FitCase {
  QRectF area;
  double scale;
};

TEST(ViewTransform, fittingCentresAndScales) {
  const FitCase cases[] = {
      {QRectF(0, 0, 1520, 100), 0.5},   // bound by width: (800 - 2 * 20) / 1520
      {QRectF(-50, 7, 10, 1120), 0.5},  // bound by height: (600 - 2 * 20) / 1120
      {QRectF(5, 5, 10, 10), 1.5},      // small things are not blown up
      {QRectF(5, 5, 0, 0), 1.0},        // nothing to fit
  };
  for (const FitCase& c : cases) {
    const ViewTransform view = ViewTransform::fitting(c.area, kWindow, 20);
    EXPECT_DOUBLE_EQ(view.scale, c.scale);
    const QPointF centre = view.toScreen(c.area.center());
    EXPECT_NEAR(centre.x(), 400, 1e-9);
    EXPECT_NEAR(centre.y(), 300, 1e-9);
  }
}

TEST(ViewTransform, filledByLeavesNothingEmptyThatNeedNotBe) {
  const QSizeF window(800, 600);
  const QRectF chain(0, 0, 100, 3000);
  const ViewTransform atTop = ViewTransform().centredOn(QPointF(50, 20), window);
  EXPECT_EQ(atTop.toScreen(chain.topLeft()), QPointF(350, 280));
  EXPECT_EQ(atTop.filledBy(chain, window, 10).toScreen(chain.topLeft()), QPointF(350, 10));
  const ViewTransform atEnd = ViewTransform().centredOn(QPointF(0, 2990), window);
  EXPECT_EQ(atEnd.filledBy(chain, window, 10).toScreen(chain.bottomRight()), QPointF(450, 590));
  const ViewTransform within = ViewTransform().centredOn(QPointF(50, 1500), window);
  EXPECT_EQ(within.filledBy(chain, window, 10), within);
}

TEST(ViewTransform, revealingMovesAsLittleAsNeeded) {
  const ViewTransform view{1, {0, 0}};
  // In sight already.
  EXPECT_EQ(view.revealing(QRectF(100, 100, 50, 50), kWindow, 20), view);
  // Past the right edge, then above the top.
  EXPECT_EQ(view.revealing(QRectF(900, 100, 50, 50), kWindow, 20).offset, QPointF(-170, 0));
  EXPECT_EQ(view.revealing(QRectF(100, -40, 50, 50), kWindow, 20).offset, QPointF(0, 60));
  // Too wide: its left edge is shown.
  EXPECT_EQ(view.revealing(QRectF(300, 100, 2000, 50), kWindow, 20).offset, QPointF(-280, 0));
}

}  // namespace
}  // namespace hilo
