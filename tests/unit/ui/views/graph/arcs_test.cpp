#include "ui/views/graph/arcs.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

// A start above its done in a wide group, and a box between them `dx` to the right of the middle.
Scene pair(double dx) {
  Scene scene;
  scene.nodes.push_back({.id = 1, .rect = {0, 0, 600, 400}, .title = "g", .group = true, .open = true});
  scene.nodes.push_back({.id = 2, .rect = {260, 40, 80, 40}, .parent = 0, .title = "start"});
  scene.nodes.push_back({.id = 3, .rect = {260 + dx, 180, 80, 40}, .parent = 0, .title = "work"});
  scene.nodes.push_back({.id = 4, .rect = {260, 320, 80, 40}, .parent = 0, .title = "done"});
  scene.points = {{300, 80}, {300, 320}};
  SceneEdge edge;
  edge.from = 1;
  edge.to = 3;
  edge.pointCount = 2;
  edge.kind = SceneEdgeKind::kAsync;
  scene.edges.push_back(edge);
  return scene;
}

TEST(Arcs, anAsynchronousPairIsABowBesideWhatIsBetween) {
  Scene scene = pair(40);
  bendAsyncEdges(scene);
  const auto line = scene.line(scene.edges[0]);
  // From the left sides, for the box is to the right; it goes there and back, and never over the box.
  EXPECT_EQ(QPointF(line.front()), QPointF(260, 60));
  EXPECT_EQ(QPointF(line.back()), QPointF(260, 340));
  double leftmost = 600;
  for (const QPointF point : line) {
    leftmost = std::min(leftmost, point.x());
    EXPECT_FALSE(scene.nodes[2].rect.contains(point));
  }
  EXPECT_LT(leftmost, 240);
  EXPECT_GT(leftmost, 100);
  Scene other = pair(-40);
  bendAsyncEdges(other);
  EXPECT_EQ(QPointF(other.line(other.edges[0]).front()), QPointF(340, 60));
}

TEST(Arcs, whatStandsInDifferentGroupsKeepsItsLine) {
  Scene scene = pair(0);
  scene.nodes[3].parent = kNoIndex;
  bendAsyncEdges(scene);
  EXPECT_EQ(scene.edges[0].pointCount, 2u);
}

TEST(Arcs, otherEdgesStayAsTheyAre) {
  Scene scene = pair(0);
  scene.edges[0].kind = SceneEdgeKind::kData;
  bendAsyncEdges(scene);
  EXPECT_EQ(scene.points.size(), 2u);
}

TEST(Arcs, anAliasReachesNoFurtherThanWhatIsDrawn) {
  Scene scene = pair(0);
  addAliasArc(scene, 3, 1, 2, 64);
  ASSERT_EQ(scene.edges.size(), 2u);
  EXPECT_EQ(scene.edges[1].bytes, 64);
  for (const QPointF point : scene.line(scene.edges[1])) EXPECT_LE(point.x(), 594);
}

}  // namespace
}  // namespace hilo
