#include "ui/views/graph/arcs.h"

#include <absl/container/flat_hash_map.h>

#include "ui/canvas/layout/curve.h"

namespace hilo {
namespace {

constexpr double kBorder = 6;  // left free at the border of what the arc is in
constexpr double kLeastReach = 34;
constexpr double kMostReach = 150;
constexpr double kReachOfHeight = 0.2;
constexpr int kPieces = 24;
constexpr size_t kMostCompared = 2'000;  // boxes; with more the right side is as good as the left

// From the side of one box to that of the other; `x` is how far the bow would reach to.
std::vector<LayoutPoint> bow(const QRectF& from, const QRectF& to, double x) {
  const bool right = x > from.center().x();
  const auto point = [](double px, double py) {
    return LayoutPoint{static_cast<float>(px), static_cast<float>(py)};
  };
  const double start = right ? from.right() : from.left(), end = right ? to.right() : to.left();
  const LayoutPoint control[] = {point(start, from.center().y()), point(x, from.center().y()),
                                 point(x, to.center().y()), point(end, to.center().y())};
  std::vector<LayoutPoint> line{control[0]};
  appendBezier(line, control, kPieces);
  return line;
}

void setLine(Scene& scene, SceneEdge& edge, const std::vector<LayoutPoint>& line) {
  edge.firstPoint = static_cast<uint32_t>(scene.points.size());
  edge.pointCount = static_cast<uint32_t>(line.size());
  edge.shortened = false;
  for (const LayoutPoint& at : line) scene.points.emplace_back(at.x, at.y);
}

// The boxes of one group, and what its arcs may not leave.
struct Surroundings {
  QRectF room;
  std::vector<uint32_t> nodes;
};

// How many boxes a bow on that side would pass over; more than there are where there is no room for one.
size_t passedOver(const Scene& scene, const Surroundings& around, const SceneEdge& edge, double x) {
  const QRectF from = scene.nodes[edge.from].rect, to = scene.nodes[edge.to].rect;
  const bool right = x > from.center().x();
  const double reach = right ? x - std::max(from.right(), to.right()) : std::min(from.left(), to.left()) - x;
  if (reach < kLeastReach / 2) return around.nodes.size() + 1;
  if (around.nodes.size() > kMostCompared) return 0;
  // A bow goes three quarters of the way to where it would reach.
  const double side = right ? std::min(from.right(), to.right()) : std::max(from.left(), to.left());
  const QRectF area =
      QRectF(QPointF(side, from.center().y()), QPointF(side + (x - side) * 0.75, to.center().y()))
          .normalized();
  size_t count = 0;
  for (const uint32_t node : around.nodes)
    count += node != edge.from && node != edge.to && scene.nodes[node].rect.intersects(area);
  return count;
}

void bend(Scene& scene, const Surroundings& around, SceneEdge& edge) {
  const QRectF from = scene.nodes[edge.from].rect, to = scene.nodes[edge.to].rect;
  const double height = std::abs(from.center().y() - to.center().y());
  const double reach = std::clamp(height * kReachOfHeight, kLeastReach, kMostReach);
  const double right = std::min(std::max(from.right(), to.right()) + reach, around.room.right() - kBorder);
  const double left = std::max(std::min(from.left(), to.left()) - reach, around.room.left() + kBorder);
  const bool onLeft = passedOver(scene, around, edge, left) < passedOver(scene, around, edge, right);
  setLine(scene, edge, bow(from, to, onLeft ? left : right));
}

bool isPair(const Scene& scene, const SceneEdge& edge) {
  const SceneNode &from = scene.nodes[edge.from], &to = scene.nodes[edge.to];
  return edge.kind == SceneEdgeKind::kAsync && from.parent == to.parent && !from.open && !to.open;
}

}  // namespace

void bendAsyncEdges(Scene& scene) {
  absl::flat_hash_map<uint32_t, Surroundings> groups;
  for (const SceneEdge& edge : scene.edges) {
    if (isPair(scene, edge)) groups.try_emplace(scene.nodes[edge.from].parent);
  }
  if (groups.empty()) return;
  for (auto& [parent, around] : groups)
    around.room = parent == kNoIndex ? scene.bounds() : scene.nodes[parent].rect;
  for (uint32_t node = 0; node < scene.nodes.size(); ++node) {
    if (const auto group = groups.find(scene.nodes[node].parent); group != groups.end())
      group->second.nodes.push_back(node);
  }
  for (SceneEdge& edge : scene.edges) {
    if (isPair(scene, edge)) bend(scene, groups.at(scene.nodes[edge.from].parent), edge);
  }
}

void addAliasArc(Scene& scene, uint32_t from, uint32_t to, uint32_t count, int64_t bytes) {
  const QRectF output = scene.nodes[from].rect, parameter = scene.nodes[to].rect;
  const double height = std::abs(output.center().y() - parameter.center().y());
  const double wanted = std::max(output.right(), parameter.right()) + 60 + height * 0.15;
  SceneEdge edge;
  edge.from = from;
  edge.to = to;
  edge.count = count;
  edge.bytes = bytes;
  edge.kind = SceneEdgeKind::kAlias;
  setLine(scene, edge, bow(output, parameter, std::min(wanted, scene.nodes[0].rect.right() - kBorder)));
  scene.edges.push_back(edge);
}

}  // namespace hilo
