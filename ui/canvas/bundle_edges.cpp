#include "ui/canvas/bundle_edges.h"

namespace hilo {

void addBundleEdges(const NestedResult& layout, Scene& scene) {
  const auto first = static_cast<uint32_t>(scene.points.size());
  scene.points.reserve(scene.points.size() + layout.points.size());
  for (const LayoutPoint& point : layout.points) scene.points.emplace_back(point.x, point.y);
  scene.edges.reserve(scene.edges.size() + layout.bundles.size());
  for (const NestedBundle& bundle : layout.bundles) {
    SceneEdge edge;
    edge.from = bundle.from;
    edge.to = bundle.to;
    edge.firstPoint = first + bundle.firstPoint;
    edge.pointCount = bundle.pointCount;
    edge.count = bundle.count;
    edge.bytes = bundle.bytes;
    edge.kind = static_cast<SceneEdgeKind>(bundle.kind);
    edge.shortened = bundle.shortened;
    scene.edges.push_back(edge);
  }
}

}  // namespace hilo
