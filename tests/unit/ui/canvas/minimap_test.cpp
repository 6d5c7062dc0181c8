#include "ui/canvas/minimap.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

// One box of 1000 x 500 at the origin.
Scene oneBox() {
  Scene scene;
  scene.nodes.push_back({.id = 1, .rect = {0, 0, 1'000, 500}});
  return scene;
}

TEST(Minimap, LiesInTheLowerRightCornerWhileNotAllIsInSight) {
  const IndexedScene scene(oneBox());
  const QRectF bounds = scene.index.bounds();
  const QSizeF window(800, 600);
  EXPECT_TRUE(Minimap::area(scene.index, ViewTransform::fitting(bounds, window, 24), window).isEmpty());
  const ViewTransform close{2, {}};
  const QRectF area = Minimap::area(scene.index, close, window);
  EXPECT_EQ(area.bottomRight(), QPointF(800 - 12, 600 - 12));
  EXPECT_NEAR(area.width() / area.height(), bounds.width() / bounds.height(), 1e-9);
  EXPECT_TRUE(Minimap::area(scene.index, close, {400, 300}).isEmpty()) << "it would take much of the window";
}

TEST(Minimap, AnyPlaceOfItIsAPlaceOfTheScene) {
  const IndexedScene scene(oneBox());
  const QRectF bounds = scene.index.bounds();
  const QRectF area = Minimap::area(scene.index, {2, {}}, {800, 600});
  EXPECT_EQ(Minimap::sceneAt(scene.index, area, area.topLeft()), bounds.topLeft());
  const QPointF middle = Minimap::sceneAt(scene.index, area, area.center());
  EXPECT_NEAR(middle.x(), bounds.center().x(), 1e-9);
  EXPECT_NEAR(middle.y(), bounds.center().y(), 1e-9);
}

}  // namespace
}  // namespace hilo
