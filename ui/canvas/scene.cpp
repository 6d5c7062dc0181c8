#include "ui/canvas/scene.h"

namespace hilo {

QRectF Scene::bounds() const {
  QRectF bounds;
  for (const SceneNode& node : nodes) {
    if (node.parent == kNoIndex) bounds |= node.rect;
  }
  double left = bounds.left(), right = bounds.right(), top = bounds.top(), bottom = bounds.bottom();
  for (const QPointF point : points) {
    left = std::min(left, point.x());
    right = std::max(right, point.x());
    top = std::min(top, point.y());
    bottom = std::max(bottom, point.y());
  }
  return QRectF(QPointF(left, top), QPointF(right, bottom));
}

Scene partOf(const Scene& scene, const std::function<bool(uint32_t node)>& wanted) {
  const size_t count = scene.nodes.size();
  std::vector<uint8_t> kept(count, 0);
  for (size_t i = count; i-- > 0;) {
    kept[i] |= wanted(static_cast<uint32_t>(i)) ? 1 : 0;
    if (kept[i] && scene.nodes[i].parent != kNoIndex) kept[scene.nodes[i].parent] = 1;
  }
  Scene part;
  part.headerHeight = scene.headerHeight;
  std::vector<uint32_t> newIndex(count, kNoIndex);
  for (size_t i = 0; i < count; ++i) {
    if (!kept[i]) continue;
    newIndex[i] = static_cast<uint32_t>(part.nodes.size());
    part.nodes.push_back(scene.nodes[i]);
    if (uint32_t& parent = part.nodes.back().parent; parent != kNoIndex) parent = newIndex[parent];
  }
  for (const SceneEdge& edge : scene.edges) {
    if (newIndex[edge.from] == kNoIndex || newIndex[edge.to] == kNoIndex) continue;
    SceneEdge copy = edge;
    copy.from = newIndex[edge.from];
    copy.to = newIndex[edge.to];
    copy.firstPoint = static_cast<uint32_t>(part.points.size());
    const auto line = scene.line(edge);
    part.points.insert(part.points.end(), line.begin(), line.end());
    part.edges.push_back(copy);
  }
  return part;
}

}  // namespace hilo
