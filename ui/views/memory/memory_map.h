// One plan as a picture: its values by address and time, and under it, on the same steps, how much is in
// use. The pointer tells a value; a click takes the cursor to that step and selects the value; dragging
// moves, the wheel zooms time, with Ctrl addresses. Left and right move the cursor a step, P goes to the
// peak, + - and 0 zoom.
#pragma once

#include <QWidget>

#include "ui/canvas/timeline_keys.h"
#include "ui/views/memory/map_scene.h"

namespace hilo {

class MemoryMap : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryMap(QWidget* parent = nullptr);

  MapScene& scene() { return scene_; }
  // Where a value is drawn, in this widget; empty when it is not.
  QRect rectOfValue(size_t value) const;
  QSize minimumSizeHint() const override { return {260, 200}; }

 Q_SIGNALS:
  void cursorAsked(int64_t step);
  void pointed(const std::optional<hilo::MapPlace>& place);  // nullopt: the pointer left
  void valueHovered(int value);                              // -1: none
  void valueClicked(int value);                              // -1: none
  void valueActivated(int value);
  // Of the value under the pointer, which was clicked before, or of the selection.
  void menuAsked(QPoint globalPlace);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRect mapArea() const;
  int valueAt(QPoint place) const;
  std::optional<MapPlace> placeAt(QPoint place) const;
  QString tipOf(size_t value) const;
  void moveAlongTime(TimelineMove move);

  MapScene scene_;
  QImage picture_;  // of the boxes in mapArea(); null when it must be drawn anew
  std::optional<QPoint> pressed_;
  bool dragged_ = false;
};

}  // namespace hilo
