// What the pointer rests on in a scene: the node or edge under it, and after a moment a card about
// it. UI thread.
#pragma once

#include <functional>

#include <QObject>
#include <QTimer>

#include "ui/canvas/scene_index.h"
#include "ui/canvas/view_transform.h"

class QWidget;

namespace hilo {

class HoverCard;

// Indices; kNoIndex for none.
struct SceneHit {
  uint32_t node = kNoIndex, edge = kNoIndex;
  friend bool operator==(const SceneHit&, const SceneHit&) = default;
};
// What lies under a place of the window and is worth a card: of an open group its header alone, edges only
// where they are drawn in detail.
SceneHit hitAt(const IndexedScene& scene, const ViewTransform& view, QPointF place);

class SceneHover : public QObject {
  Q_OBJECT

 public:
  // `window`: in which the card is shown; outlives it.
  explicit SceneHover(QWidget& window);

  // What the card says about a node or an edge; "" shows none.
  void setTexts(std::function<QString(SceneNodeId)> node, std::function<QString(const SceneEdge&)> edge);
  // Nothing is hovered, and nobody is told.
  void setScene(std::shared_ptr<const IndexedScene> scene);

  const SceneHit& hit() const { return hit_; }
  void moveTo(QPointF place, const SceneHit& hit);
  void leave();
  // Until the pointer is on something else.
  void hideCard();

 Q_SIGNALS:
  void changed();
  void nodeChanged(quint64 id);  // kNoSceneNode: on none

 private:
  void showCard();

  std::shared_ptr<const IndexedScene> scene_;
  std::function<QString(SceneNodeId)> nodeText_;
  std::function<QString(const SceneEdge&)> edgeText_;
  HoverCard* card_;
  QTimer timer_;
  QPointF place_;
  SceneHit hit_;
};

}  // namespace hilo
