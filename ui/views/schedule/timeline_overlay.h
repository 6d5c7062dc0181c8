// What follows the pointer over the timeline: a line through all lanes with the time and the live memory
// there, and the range that was dragged in the ruler with what happens in it. It takes the mouse in the ruler
// and draws above the canvas; Escape takes the range away. UI thread.
#pragma once

#include <QWidget>
#include <optional>

#include "core/analysis/schedule/schedule_chart.h"

namespace hilo {

class ScheduleCanvas;
struct ShownOrder;

class TimelineOverlay : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineOverlay(ScheduleCanvas& canvas);

  // Of the axis; nullopt: nothing was dragged.
  std::optional<ChartSpan> range() const { return range_; }
  // What stands beside the line; "" while there is none.
  QString readout() const;
  QString rangeLine() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  bool takeMouse(QEvent& event);
  void setPointer(std::optional<QPointF> place);
  const ShownOrder* order() const;
  double axisAt(double x) const;
  void drawLine(QPainter& painter, const QString& text, double x, double top) const;

  ScheduleCanvas& canvas_;
  std::optional<QPointF> pointer_;
  std::optional<ChartSpan> range_;
  double pressedAt_ = 0;
  bool dragging_ = false;
};

}  // namespace hilo
