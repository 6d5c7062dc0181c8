// One plan as a picture: its values by address and time, and under it, on the same steps, how much is in
// use. The pointer tells a value; a click takes the cursor to that step and selects the value; dragging
// moves, the wheel zooms time, with Ctrl addresses. Left and right move the cursor a step, P goes to the
// peak, + - and 0 zoom.
#pragma once

#include <QWidget>

#include "ui/canvas/timeline_keys.h"
#include "ui/views/memory/map_painter.h"

namespace hilo {

class MemoryMap : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryMap(QWidget* parent = nullptr);

  // `plan` is one of `plans`; nullptr shows nothing.
  void setPlan(std::shared_ptr<const MemoryPlans> plans, const MemoryPlan* plan, const QString& title);
  void setContent(MapContent content);
  // By position in the profile; what categoryColours() takes.
  void setCategories(std::vector<size_t> categories);
  void setCursor(int64_t step);
  void setSelected(InstructionId instruction);
  // What the map and the curve below it are at least high, so that two plans are drawn to one scale.
  void setScale(int64_t mapBytes, int64_t curveBytes);
  int64_t shownBytes() const { return heightOf(drawn_.bands); }
  // Bytes the device has; 0: not said.
  void setLimit(int64_t bytes);
  void setTimeWindow(double step, double steps);
  // Whose values the tables beside the maps list.
  void setActive(bool active);
  void fit();
  void zoomTime(double factor);

  const MemoryPlan* plan() const { return drawn_.plan; }
  int64_t cursor() const { return drawn_.cursor; }
  const MapWindow& window() const { return drawn_.window; }
  // Where a value is drawn, in this widget; empty when it is not.
  QRect rectOfValue(size_t value) const;
  QSize minimumSizeHint() const override { return {260, 200}; }

 Q_SIGNALS:
  void cursorAsked(int64_t step);
  void valueHovered(int value);  // -1: none
  void valueClicked(int value);  // -1: none
  void valueActivated(int value);
  // Of the value under the pointer, which was clicked before, or of the selection.
  void menuAsked(QPoint globalPlace);
  void timeWindowChanged(double step, double steps);

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
  QString tipOf(size_t value) const;
  void layOut();
  void setWindow(const MapWindow& window, bool tell);
  void panTime(double part);
  void moveAlongTime(TimelineMove move);
  const QImage& picture();

  DrawnMap drawn_;
  MapContent content_ = MapContent::kTemporaries;
  MapWindow whole_;
  QImage picture_;  // of the boxes in mapArea(); null when it must be drawn anew
  int64_t leastMap_ = 0;
  std::optional<QPoint> pressed_;
  bool dragged_ = false;
};

}  // namespace hilo
