#include "ui/canvas/scene_index.h"

#include <algorithm>
#include <cmath>

namespace hilo {
namespace {

double distanceToSegment(QPointF p, QPointF a, QPointF b) {
  const QPointF d = b - a;
  const double length2 = QPointF::dotProduct(d, d);
  const double t = length2 == 0 ? 0 : std::clamp(QPointF::dotProduct(p - a, d) / length2, 0.0, 1.0);
  const QPointF gap = p - (a + d * t);
  return std::hypot(gap.x(), gap.y());
}

}  // namespace

SceneIndex::SceneIndex(const Scene& scene) : scene_(&scene) {
  std::vector<QRectF> rects;
  std::vector<double> heights;
  rects.reserve(scene.nodes.size());
  byId_.reserve(scene.nodes.size());
  depth_.reserve(scene.nodes.size());
  for (uint32_t i = 0; i < scene.nodes.size(); ++i) {
    rects.push_back(scene.nodes[i].rect);
    const uint32_t parent = scene.nodes[i].parent;
    depth_.push_back(parent == kNoIndex ? 0 : depth_[parent] + 1);
    byId_.emplace(scene.nodes[i].id, i);
    if (!scene.nodes[i].open) heights.push_back(scene.nodes[i].rect.height());
  }
  if (!heights.empty()) {
    std::nth_element(heights.begin(), heights.begin() + static_cast<ptrdiff_t>(heights.size() / 2),
                     heights.end());
    typicalHeight_ = heights[heights.size() / 2];
  }
  nodes_ = GridIndex::ofRects(rects);
  std::vector<GridIndex::Line> lines;
  lines.reserve(scene.edges.size());
  for (const SceneEdge& edge : scene.edges) {
    // Aliases are found through their ends alone; bows over everything would fill the grid.
    const uint32_t points = edge.kind == SceneEdgeKind::kAlias ? 0 : edge.pointCount;
    lines.push_back({scene.points.data() + edge.firstPoint, points});
  }
  edges_ = GridIndex::ofLines(lines);
  auto self = [](size_t i) { return i; };
  into_ = makeAdjacency(
      scene.nodes.size(), scene.edges.size(), [&](size_t i) { return scene.edges[i].to; }, self);
  outOf_ = makeAdjacency(
      scene.nodes.size(), scene.edges.size(), [&](size_t i) { return scene.edges[i].from; }, self);
  bounds_ = scene.bounds();
}

uint32_t SceneIndex::find(SceneNodeId id) const {
  const auto found = byId_.find(id);
  return found == byId_.end() ? kNoIndex : found->second;
}

uint32_t SceneIndex::nodeAt(QPointF place) const {
  uint32_t best = kNoIndex;
  if (scene_ == nullptr) return best;
  nodes_.visit(QRectF(place, QSizeF(0, 0)), [&](uint32_t node) {
    if (scene_->nodes[node].rect.contains(place) && (best == kNoIndex || node > best)) best = node;
  });
  return best;
}

uint32_t SceneIndex::edgeAt(QPointF place, double reach) const {
  uint32_t best = kNoIndex;
  double nearest = reach;
  if (scene_ == nullptr) return best;
  edges_.visit(QRectF(place.x() - reach, place.y() - reach, 2 * reach, 2 * reach), [&](uint32_t edge) {
    const auto line = scene_->line(scene_->edges[edge]);
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      const double distance = distanceToSegment(place, line[i], line[i + 1]);
      if (distance < nearest || (distance == nearest && edge < best)) {
        nearest = distance;
        best = edge;
      }
    }
  });
  return best;
}

uint32_t SceneIndex::sibling(uint32_t node, int step) const {
  const SceneNode& self = scene_->nodes[node];
  const QPointF from = self.rect.center();
  uint32_t best = kNoIndex;
  double bestCost = std::numeric_limits<double>::max();
  for (uint32_t i = 0; i < scene_->nodes.size(); ++i) {
    const SceneNode& other = scene_->nodes[i];
    if (i == node || other.parent != self.parent) continue;
    const QPointF delta = other.rect.center() - from;
    if (delta.x() * step <= 0) continue;
    // A row away costs more than any distance along the row.
    const double cost = std::abs(delta.x()) + std::abs(delta.y()) * 8;
    if (cost < bestCost) {
      bestCost = cost;
      best = i;
    }
  }
  return best;
}

}  // namespace hilo
