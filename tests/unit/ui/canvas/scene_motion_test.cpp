#include "ui/canvas/scene_motion.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

namespace hilo {
namespace {

Scene boxAt(double x, double y) {
  Scene scene;
  scene.nodes.push_back({.id = 7, .rect = {x, y, 100, 40}});
  return scene;
}

// Where the top centre of a box is in the window.
QPointF topOf(const ViewTransform& view, const QRectF& rect) {
  return view.toScreen(QPointF(rect.center().x(), rect.top()));
}

class SceneMotionTest : public testing::Test {
 protected:
  SceneMotionTest() { motion.setScene(after); }

  const IndexedScene before{boxAt(0, 0)};
  const std::shared_ptr<const IndexedScene> after = std::make_shared<const IndexedScene>(boxAt(300, 80));
  SceneMotion motion;
};

TEST_F(SceneMotionTest, TheAnchorStaysWhereItIsAllTheWay) {
  const ViewTransform view{2, {10, 20}};
  const QPointF place = topOf(view, before.scene.nodes[0].rect);
  EXPECT_EQ(motion.held(view), view) << "nothing is held yet";
  motion.hold(0, place);
  EXPECT_EQ(topOf(motion.held(view), after->scene.nodes[0].rect), place);
  QSignalSpy stepped(&motion, &SceneMotion::stepped);
  motion.start(before, motion.held(view), {800, 600});
  ASSERT_TRUE(motion.isMoving());
  EXPECT_EQ(motion.rects()[0], before.scene.nodes[0].rect) << "it begins where it was";
  EXPECT_EQ(motion.held(view), view);
  EXPECT_EQ(topOf(motion.heldAtEnd(view), after->scene.nodes[0].rect), place);
  while (motion.isMoving()) {
    ASSERT_TRUE(stepped.wait());
    if (motion.isMoving()) EXPECT_EQ(topOf(motion.held(view), motion.rects()[0]), place);
  }
  EXPECT_EQ(motion.held(view), view) << "there, it is let go";
}

TEST_F(SceneMotionTest, AnotherSceneStopsIt) {
  motion.hold(0, {0, 0});
  motion.start(before, {}, {800, 600});
  motion.setScene(after);
  EXPECT_FALSE(motion.isMoving());
  EXPECT_EQ(motion.heldAtEnd({}), ViewTransform());
}

}  // namespace
}  // namespace hilo
