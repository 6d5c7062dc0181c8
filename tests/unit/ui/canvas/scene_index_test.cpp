#include "ui/canvas/scene_index.h"

#include <gtest/gtest.h>

#include "tests/support/scene_maker.h"

namespace hilo {
namespace {

TEST(GridIndex, findsWhatAPlainSearchFinds) {
  const Scene scene = makeGraphScene(600);
  std::vector<QRectF> rects;
  for (const SceneNode& node : scene.nodes) rects.push_back(node.rect);
  rects.push_back(scene.bounds());  // one that fills the grid
  const GridIndex index = GridIndex::ofRects(rects);
  for (int i = 0; i < 40; ++i) {
    const QRectF area(rects[static_cast<size_t>(i) * 15].center(), QSizeF(i * 20 + 1, 300));
    std::vector<int> found(rects.size(), 0);
    index.visit(area, [&](uint32_t item) { ++found[item]; });
    for (size_t k = 0; k < rects.size(); ++k) {
      EXPECT_LE(found[k], 1);
      if (rects[k].intersects(area)) EXPECT_EQ(found[k], 1) << k;
    }
  }
}

TEST(GridIndex, linesThatOnlyPassThroughAreFound) {
  const std::vector<ScenePoint> points = {{0, 0}, {1000, 1000}, {0, 1000}, {10, 1000}};
  const GridIndex::Line lines[] = {{points.data(), 2}, {points.data() + 2, 2}};
  const GridIndex index = GridIndex::ofLines(lines);
  bool passing = false;
  index.visit(QRectF(480, 480, 40, 40), [&](uint32_t line) { passing |= line == 0; });
  EXPECT_TRUE(passing);
}

TEST(GridIndex, emptyIndexFindsNothing) {
  int found = 0;
  GridIndex::ofRects({}).visit(QRectF(0, 0, 10, 10), [&](uint32_t) { ++found; });
  GridIndex::ofLines({}).visit(QRectF(0, 0, 10, 10), [&](uint32_t) { ++found; });
  EXPECT_EQ(found, 0);
}

// An open group with two nodes in it and an edge between them.
Scene groupScene() {
  Scene scene;
  scene.nodes.resize(3);
  scene.nodes[0].id = 7;
  scene.nodes[0].rect = QRectF(0, 0, 200, 200);
  scene.nodes[0].group = scene.nodes[0].open = true;
  for (uint32_t i : {1u, 2u}) {
    scene.nodes[i].id = 10 + i;
    scene.nodes[i].parent = 0;
    scene.nodes[i].rect = QRectF(50, 40.0 + 90 * (i - 1), 100, 30);
  }
  scene.points = {{100, 70}, {100, 130}};
  scene.edges.push_back({.from = 1, .to = 2, .firstPoint = 0, .pointCount = 2});
  return scene;
}

TEST(SceneIndex, picksTheInnermostNode) {
  const Scene scene = groupScene();
  const SceneIndex index(scene);
  EXPECT_EQ(index.nodeAt({100, 50}), 1u);
  EXPECT_EQ(index.nodeAt({20, 50}), 0u);
  EXPECT_EQ(index.nodeAt({300, 50}), kNoIndex);
}

TEST(SceneIndex, picksEdgesWithinReach) {
  const Scene scene = groupScene();
  const SceneIndex index(scene);
  EXPECT_EQ(index.edgeAt({103, 100}, 5), 0u);
  EXPECT_EQ(index.edgeAt({108, 100}, 5), kNoIndex);
}

TEST(SceneIndex, knowsIdsAndNeighbours) {
  const Scene scene = groupScene();
  const SceneIndex index(scene);
  EXPECT_EQ(index.find(12), 2u);
  EXPECT_EQ(index.find(99), kNoIndex);
  ASSERT_EQ(index.edgesOutOf(1).size(), 1u);
  EXPECT_EQ(index.edgesInto(2)[0], 0u);
  EXPECT_TRUE(index.edgesInto(1).empty());
  EXPECT_EQ(index.typicalHeight(), 30);
}

TEST(SceneIndex, siblingsAreOnTheSameRow) {
  const Scene scene = makeGridScene(3);
  const SceneIndex index(scene);
  EXPECT_EQ(index.sibling(4, +1), 5u);
  EXPECT_EQ(index.sibling(4, -1), 3u);
  EXPECT_EQ(index.sibling(5, +1), kNoIndex);
}

}  // namespace
}  // namespace hilo
