// Scenes for tests and benchmarks of the canvas.
#pragma once

#include "tests/support/random_graph.h"
#include "ui/canvas/layout/layered_layout.h"
#include "ui/canvas/scene.h"

namespace hilo {

// A random graph laid out by the own engine; node i has the id 100 + i and the title "node.i".
inline Scene makeGraphScene(uint32_t nodeCount, uint64_t seed = 1) {
  LayoutInput input = randomGraph(nodeCount, 0.02, seed);
  for (LayoutNode& node : input.nodes) node.height = 38;
  const LayoutResult layout = layoutLayered(input, CancelToken()).value();
  Scene scene;
  for (uint32_t i = 0; i < nodeCount; ++i) {
    SceneNode node;
    node.id = 100 + i;
    const LayoutNode& size = input.nodes[i];
    node.rect = QRectF(layout.centres[i].x - size.width / 2, layout.centres[i].y - size.height / 2,
                       size.width, size.height);
    node.title = QStringLiteral("node.%1").arg(i);
    node.subtitle = QStringLiteral("bf16[128,%1]").arg(i);
    node.role = static_cast<NodeRole>(i % static_cast<uint32_t>(NodeRole::kCount));
    scene.nodes.push_back(std::move(node));
  }
  for (size_t e = 0; e < input.edges.size(); ++e) {
    SceneEdge edge;
    edge.from = input.edges[e].from;
    edge.to = input.edges[e].to;
    edge.firstPoint = static_cast<uint32_t>(scene.points.size());
    for (const LayoutPoint& point : layout.line(e)) scene.points.emplace_back(point.x, point.y);
    edge.pointCount = static_cast<uint32_t>(scene.points.size()) - edge.firstPoint;
    edge.shortened = layout.shortened[e] != 0;
    edge.bytes = 4096;
    scene.edges.push_back(edge);
  }
  return scene;
}

// `side` x `side` boxes of 100 x 30 on a grid, no edges; ids count from 0 along the rows.
inline Scene makeGridScene(int side) {
  Scene scene;
  for (int i = 0; i < side * side; ++i) {
    SceneNode node;
    node.id = static_cast<SceneNodeId>(i);
    node.rect = QRectF((i % side) * 140.0, (i / side) * 60.0, 100, 30);
    node.title = QStringLiteral("n%1").arg(i);
    node.role = NodeRole::kMatmul;
    scene.nodes.push_back(std::move(node));
  }
  return scene;
}

}  // namespace hilo
