#include "ui/canvas/scene_motion.h"

#include <algorithm>

namespace hilo {
namespace {

constexpr int kMotionMs = 180;
// More moving boxes in sight than this cannot be drawn smoothly; the scene is then changed at once.
constexpr size_t kMotionLimit = 3'000;

QPointF topCentre(const QRectF& rect) { return {rect.center().x(), rect.top()}; }

}  // namespace

SceneMotion::SceneMotion() : scene_(std::make_shared<const IndexedScene>()) {
  animation_.setDuration(kMotionMs);
  animation_.setStartValue(0.0);
  animation_.setEndValue(1.0);
  animation_.setEasingCurve(QEasingCurve::OutCubic);
  connect(&animation_, &QVariantAnimation::valueChanged, this,
          [this](const QVariant& value) { step(value.toDouble()); });
  connect(&animation_, &QVariantAnimation::finished, this, [this] {
    moving_.clear();
    letGo();
    Q_EMIT stepped();
  });
}

void SceneMotion::setScene(std::shared_ptr<const IndexedScene> scene) {
  animation_.stop();
  scene_ = std::move(scene);
  moving_.clear();
  letGo();
}

void SceneMotion::hold(uint32_t anchor, QPointF place) {
  anchor_ = anchor;
  anchorPlace_ = place;
}

void SceneMotion::start(const IndexedScene& before, const ViewTransform& view, QSizeF window) {
  // Where the window lies in the scene before and after: the anchor is at one place in it.
  const QRectF was = before.scene.nodes[before.index.find(sceneNodes()[anchor_].id)].rect;
  const QRectF seenBefore(topCentre(was) - anchorPlace_ / view.scale, window / view.scale);
  const QRectF seenAfter = view.toScene(QRectF(QPointF(0, 0), window));
  nodes_.clear();
  scene_->index.nodes().visit(seenAfter, [&](uint32_t node) { nodes_.push_back(node); });
  before.index.nodes().visit(seenBefore, [&](uint32_t old) {
    if (const uint32_t node = scene_->index.find(before.scene.nodes[old].id); node != kNoIndex)
      nodes_.push_back(node);
  });
  std::ranges::sort(nodes_);
  const auto repeated = std::ranges::unique(nodes_);
  nodes_.erase(repeated.begin(), repeated.end());
  if (nodes_.size() > kMotionLimit) return;
  moving_.resize(sceneNodes().size());
  from_.clear();
  for (const uint32_t i : nodes_) {
    const SceneNode& node = sceneNodes()[i];
    QRectF from(node.rect.center(), QSizeF(0, 0));
    if (const uint32_t old = before.index.find(node.id); old != kNoIndex) {
      from = before.scene.nodes[old].rect;
    } else if (node.parent != kNoIndex && std::ranges::binary_search(nodes_, node.parent)) {
      from = QRectF(moving_[node.parent].center(), QSizeF(0, 0));
    }
    from_.push_back(from);
    moving_[i] = from;
  }
  step(0);
  animation_.start();
}

void SceneMotion::step(double share) {
  if (moving_.size() != sceneNodes().size()) return;
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const QRectF& a = from_[k];
    const QRectF& b = sceneNodes()[nodes_[k]].rect;
    moving_[nodes_[k]] =
        QRectF(a.x() + (b.x() - a.x()) * share, a.y() + (b.y() - a.y()) * share,
               a.width() + (b.width() - a.width()) * share, a.height() + (b.height() - a.height()) * share);
  }
  Q_EMIT stepped();
}

ViewTransform SceneMotion::heldAt(const ViewTransform& view, const QRectF& rect) const {
  return {view.scale, anchorPlace_ - topCentre(rect) * view.scale};
}

ViewTransform SceneMotion::held(const ViewTransform& view) const {
  if (anchor_ == kNoIndex) return view;
  // The anchor is in sight, but for one that a key opened from afar.
  const bool moves = isMoving() && std::ranges::binary_search(nodes_, anchor_);
  return heldAt(view, moves ? moving_[anchor_] : sceneNodes()[anchor_].rect);
}

ViewTransform SceneMotion::heldAtEnd(const ViewTransform& view) const {
  return anchor_ == kNoIndex ? view : heldAt(view, sceneNodes()[anchor_].rect);
}

}  // namespace hilo
