// Boxes on their way from one scene to the next, while one of them, the anchor, stays where it is in
// the window. Only what can be seen on the way is moved: a large scene opens a group as softly as a
// small one. UI thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <QVariantAnimation>

#include "ui/canvas/scene_index.h"
#include "ui/canvas/view_transform.h"

namespace hilo {

class SceneMotion : public QObject {
  Q_OBJECT

 public:
  SceneMotion();

  // Another scene, in which nothing moves and nothing is held.
  void setScene(std::shared_ptr<const IndexedScene> scene);
  // From now on the top centre of `anchor`, a node of the scene, stays at a place of the window.
  void hold(uint32_t anchor, QPointF place);
  void letGo() { anchor_ = kNoIndex; }
  // Moves the nodes that are known from `before`, the anchor among them, from their places there; new
  // ones grow out of their groups. Nothing moves where too much of it is in sight. `view`, `window`:
  // what is in sight now.
  void start(const IndexedScene& before, const ViewTransform& view, QSizeF window);

  // The view moved to where the anchor is held, and to where it will be once nothing moves.
  ViewTransform held(const ViewTransform& view) const;
  ViewTransform heldAtEnd(const ViewTransform& view) const;

  bool isMoving() const { return !moving_.empty(); }
  // Where nodes are drawn, one a node of the scene, right for those that move; empty while nothing does.
  std::span<const QRectF> rects() const { return moving_; }
  std::span<const uint32_t> nodes() const { return nodes_; }
  // How much of the way is gone, 0 to 1.
  double share() const { return animation_.currentValue().toDouble(); }

 Q_SIGNALS:
  // Boxes are at other places, or there.
  void stepped();

 private:
  void step(double share);
  ViewTransform heldAt(const ViewTransform& view, const QRectF& rect) const;
  const std::vector<SceneNode>& sceneNodes() const { return scene_->scene.nodes; }

  std::shared_ptr<const IndexedScene> scene_;
  QVariantAnimation animation_;
  std::vector<uint32_t> nodes_;  // those in sight before, after or on the way
  std::vector<QRectF> from_;     // of each of them
  std::vector<QRectF> moving_;   // one a node
  uint32_t anchor_ = kNoIndex;
  QPointF anchorPlace_;
};

}  // namespace hilo
