#include "ui/canvas/scene_walk.h"

#include <cmath>

#include <QKeyEvent>

namespace hilo {

int arrowOf(const QKeyEvent& event) {
  if (event.modifiers() & ~Qt::KeypadModifier) return 0;
  switch (event.key()) {
    case Qt::Key_H:
      return Qt::Key_Left;
    case Qt::Key_J:
      return Qt::Key_Down;
    case Qt::Key_K:
      return Qt::Key_Up;
    case Qt::Key_L:
      return Qt::Key_Right;
    case Qt::Key_Left:
    case Qt::Key_Down:
    case Qt::Key_Up:
    case Qt::Key_Right:
      return event.key();
    default:
      return 0;
  }
}

uint32_t neighbour(const IndexedScene& scene, uint32_t node, int arrow) {
  const SceneIndex& index = scene.index;
  if (arrow == Qt::Key_Left || arrow == Qt::Key_Right)
    return index.sibling(node, arrow == Qt::Key_Left ? -1 : +1);
  const bool up = arrow == Qt::Key_Up;
  const std::vector<SceneNode>& nodes = scene.scene.nodes;
  const double x = nodes[node].rect.center().x();
  uint32_t best = kNoIndex;
  double nearest = 0;
  for (const uint32_t e : up ? index.edgesInto(node) : index.edgesOutOf(node)) {
    const SceneEdge& edge = scene.scene.edges[e];
    if (edge.kind == SceneEdgeKind::kAlias) continue;
    const uint32_t end = up ? edge.from : edge.to;
    const double aside = std::abs(nodes[end].rect.center().x() - x);
    if (best != kNoIndex && aside >= nearest) continue;
    best = end;
    nearest = aside;
  }
  return best;
}

}  // namespace hilo
