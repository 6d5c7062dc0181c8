// Shows a scene: zoom at the pointer, drag to pan, pick, walk with the keyboard. It knows nothing of what the
// nodes mean; it reports what the user does by the scene's ids. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QWidget>

#include "ui/canvas/minimap.h"
#include "ui/canvas/scene_hover.h"
#include "ui/canvas/scene_motion.h"
#include "ui/canvas/scene_painter.h"

namespace hilo {

class CanvasWidget : public QWidget {
  Q_OBJECT

 public:
  explicit CanvasWidget(QWidget* parent = nullptr);

  // Shows another scene. Nodes known from the one before move to their new places; the top centre of `anchor`
  // stays where it is on the screen. With no anchor in both scenes the view keeps still, but as long as
  // nobody has moved it the scene is fitted, readable. The selection is kept where its nodes still are. Not
  // null; one who has a large scene indexes it on another thread.
  void setScene(std::shared_ptr<const IndexedScene> scene, SceneNodeId anchor = kNoSceneNode);
  void setScene(Scene scene, SceneNodeId anchor = kNoSceneNode) {
    setScene(std::make_shared<const IndexedScene>(std::move(scene)), anchor);
  }
  const Scene& scene() const { return shown_->scene; }
  const SceneIndex& index() const { return shown_->index; }

  void setNodePalette(NodePalette palette);
  NodePalette nodePalette() const { return nodePalette_; }
  // What the card says about a node or an edge (an index into the scene's); "" shows none.
  void setHoverText(std::function<QString(SceneNodeId)> node,
                    std::function<QString(const SceneEdge&)> edge = {});
  void setAnimated(bool animated) { animated_ = animated; }

  // Ids not in the scene are ignored. Does not emit.
  void select(const std::vector<SceneNodeId>& ids);
  SceneNodeId selected() const;  // the main one

  const ViewTransform& view() const { return view_; }
  void setView(const ViewTransform& view);
  void fit();
  // As fit, but not so small that nothing can be read: then from the top.
  void fitReadable();
  void zoomToSelection();
  // Moves as little as needed to show the node, and zooms in if it would be too small to read.
  void reveal(SceneNodeId id);
  void zoomBy(double factor);

  QSize sizeHint() const override { return {900, 600}; }

 Q_SIGNALS:
  // kNoSceneNode when the selection was cleared.
  void nodeSelected(quint64 id);
  // Double click or Enter: open, close, or go to.
  void nodeActivated(quint64 id);
  void nodeHovered(quint64 id);
  void contextMenuAsked(quint64 id, QPoint globalPlace);
  void viewChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void selectByUser(uint32_t node);
  uint32_t mainIndex() const { return selectedIndices_.empty() ? kNoIndex : selectedIndices_.front(); }
  void walk(int arrow);
  void updateHover(QPointF place);
  bool isOverMinimap(QPointF place) const;

  std::shared_ptr<const IndexedScene> shown_;
  ScenePainter painter_;
  ViewTransform view_;
  NodePalette nodePalette_ = NodePalette::kOpcodeClass;
  std::vector<uint32_t> selectedIndices_;
  SceneHover hover_;
  SceneMotion motion_;
  Minimap minimap_;

  enum class Drag : uint8_t { kNone, kPressed, kPanning, kMinimap };
  Drag drag_ = Drag::kNone;
  QPointF pressPlace_;
  ViewTransform pressView_;

  bool animated_ = true;
  bool fitted_ = false;      // a first scene has been fitted
  bool fitOnResize_ = true;  // nobody has moved the view yet
  // What the view was moved to show since nobody has; in another size it is fitted and shows this again.
  SceneNodeId revealed_ = kNoSceneNode;
};

}  // namespace hilo
