// A small picture of the whole scene in the lower right corner of its window, with a frame around what is in
// sight. Its image is drawn once for a scene, a palette and a theme. UI thread.
#pragma once

#include <QImage>

#include "ui/canvas/scene_index.h"
#include "ui/canvas/view_transform.h"
#include "ui/style/theme.h"

class QPainter;

namespace hilo {

class Minimap {
 public:
  // The scene or its palette is another.
  void reset() { image_ = {}; }
  // Where it is in the window; empty where the window is small or shows all of the scene.
  static QRectF area(const SceneIndex& index, const ViewTransform& view, QSizeF window);
  // The place of the scene that lies under a place of the area.
  static QPointF sceneAt(const SceneIndex& index, const QRectF& area, QPointF place);
  // In the theme's colours; nothing where the area is empty.
  void paint(QPainter& painter, const IndexedScene& scene, const ViewTransform& view, QSize window,
             NodePalette palette, const Theme& theme);

 private:
  void draw(const IndexedScene& scene, NodePalette palette, const Theme& theme);

  QImage image_;
  bool dark_ = false;
};

}  // namespace hilo
