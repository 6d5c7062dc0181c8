#include "ui/canvas/scene_hover.h"

#include "ui/canvas/hover_card.h"
#include "ui/canvas/scene_painter.h"

namespace hilo {
namespace {

constexpr int kCardDelayMs = 350;
constexpr double kEdgeReach = 5;  // pixels beside an edge that still count as it

}  // namespace

SceneHit hitAt(const IndexedScene& scene, const ViewTransform& view, QPointF place) {
  const QPointF at = view.toScene(place);
  SceneHit hit{.node = scene.index.nodeAt(at)};
  const SceneNode* node = hit.node == kNoIndex ? nullptr : &scene.scene.nodes[hit.node];
  const bool edgesShown = detailLevel(scene.index.typicalHeight() * view.scale) == DetailLevel::kFull;
  const bool inside = node != nullptr && !node->open;
  if (!inside && edgesShown) hit.edge = scene.index.edgeAt(at, kEdgeReach / view.scale);
  const bool isBare = node != nullptr && node->open && at.y() >= node->rect.top() + scene.scene.headerHeight;
  if (isBare) hit.node = kNoIndex;
  return hit;
}

SceneHover::SceneHover(QWidget& window)
    : scene_(std::make_shared<const IndexedScene>()), card_(new HoverCard(&window)) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &SceneHover::showCard);
}

void SceneHover::setTexts(std::function<QString(SceneNodeId)> node,
                          std::function<QString(const SceneEdge&)> edge) {
  nodeText_ = std::move(node);
  edgeText_ = std::move(edge);
}

void SceneHover::setScene(std::shared_ptr<const IndexedScene> scene) {
  scene_ = std::move(scene);
  hit_ = {};
  hideCard();
}

void SceneHover::showCard() {
  QString text;
  if (hit_.node != kNoIndex) {
    if (nodeText_) text = nodeText_(scene_->scene.nodes[hit_.node].id);
  } else if (hit_.edge != kNoIndex && edgeText_) {
    text = edgeText_(scene_->scene.edges[hit_.edge]);
  }
  card_->showAt(place_.toPoint(), text);
}

void SceneHover::hideCard() {
  timer_.stop();
  card_->hide();
}

void SceneHover::moveTo(QPointF place, const SceneHit& hit) {
  place_ = place;
  if (hit == hit_) return;
  const bool isOtherNode = hit.node != hit_.node;
  hit_ = hit;
  hideCard();
  if (hit != SceneHit()) timer_.start(kCardDelayMs);
  Q_EMIT changed();
  if (isOtherNode) Q_EMIT nodeChanged(hit.node == kNoIndex ? kNoSceneNode : scene_->scene.nodes[hit.node].id);
}

void SceneHover::leave() {
  hideCard();
  if (hit_ == SceneHit()) return;
  hit_ = {};
  Q_EMIT changed();
  Q_EMIT nodeChanged(kNoSceneNode);
}

}  // namespace hilo
