// A scene made ready to be drawn and picked: where things are, what is joined to what. Built once a scene;
// the scene must stay alive and unmoved as long as its index.
#pragma once

#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "ui/canvas/grid_index.h"
#include "ui/canvas/layout/adjacency.h"
#include "ui/canvas/scene.h"

namespace hilo {

class SceneIndex {
 public:
  SceneIndex() = default;
  explicit SceneIndex(const Scene& scene);

  // Indices into the scene's nodes and edges; kNoIndex where there is none.
  uint32_t find(SceneNodeId id) const;
  uint32_t nodeAt(QPointF place) const;  // the innermost
  uint32_t edgeAt(QPointF place, double reach) const;
  std::span<const uint32_t> edgesInto(uint32_t node) const { return into_.of(node); }
  std::span<const uint32_t> edgesOutOf(uint32_t node) const { return outOf_.of(node); }
  // The next node in the same group on about the same height, `step` -1 to the left or +1 to the right;
  // past the end of the row, the nearest on the row above or below.
  uint32_t sibling(uint32_t node, int step) const;

  // How many groups a node is in.
  uint32_t depth(uint32_t node) const { return depth_[node]; }

  const GridIndex& nodes() const { return nodes_; }
  const GridIndex& edges() const { return edges_; }
  QRectF bounds() const { return bounds_; }
  // The median height of what is not an open group; decides the level of detail.
  double typicalHeight() const { return typicalHeight_; }

 private:
  const Scene* scene_ = nullptr;
  GridIndex nodes_;
  GridIndex edges_;
  Adjacency into_;
  Adjacency outOf_;
  std::vector<uint32_t> depth_;
  QRectF bounds_;
  double typicalHeight_ = 1;
  absl::flat_hash_map<SceneNodeId, uint32_t> byId_;
};

// A scene with its index, made where there is time for it and handed over whole.
struct IndexedScene {
  IndexedScene() : index(scene) {}
  explicit IndexedScene(Scene made) : scene(std::move(made)), index(scene) {}
  IndexedScene(const IndexedScene&) = delete;
  IndexedScene& operator=(const IndexedScene&) = delete;

  const Scene scene;
  const SceneIndex index;
};

}  // namespace hilo
