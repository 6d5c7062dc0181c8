// What follows the pointer over the timeline: a line through all lanes with the time and the live memory
// there, another where a click put the cursor, and the range that was dragged in the ruler with what happens
// in it. It takes the mouse in the ruler and draws above the canvas; Escape takes the range away. UI thread.
#pragma once

#include <QWidget>
#include <optional>

#include "ui/views/schedule/order_moment.h"

namespace hilo {

class ScheduleCanvas;

class TimelineOverlay : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineOverlay(ScheduleCanvas& canvas);

  // Of the axis; nullopt: nothing was dragged.
  std::optional<ChartSpan> range() const { return range_; }
  // The moments to draw, of the active order's module; the first where the pointer is not here itself.
  void show(const std::optional<OrderMoment>& pointed, const std::optional<OrderMoment>& placed);
  // On the axis, where the line is that follows the pointer here or in another view, and the cursor's.
  std::optional<double> lineAt() const;
  std::optional<double> cursorAt() const;
  // What stands beside the line, without one beside the cursor's; "" while there is neither.
  QString readout() const;
  QString rangeLine() const;

 Q_SIGNALS:
  // nullopt: the pointer left.
  void pointed(const std::optional<hilo::OrderMoment>& moment);
  void placed(const std::optional<hilo::OrderMoment>& moment);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  bool takeMouse(QEvent& event);
  void setPointer(std::optional<QPointF> place);
  void placeAt(double x);
  const ShownOrder* order() const;
  double axisAt(double x) const;
  std::optional<double> axisAt(const std::optional<OrderMoment>& moment) const;
  void drawText(QPainter& painter, const QString& text, double x, double top) const;

  ScheduleCanvas& canvas_;
  std::optional<QPointF> pointer_;
  std::optional<OrderMoment> pointed_, placed_;
  std::optional<ChartSpan> range_;
  double pressedAt_ = 0;
  bool dragging_ = false;
};

}  // namespace hilo
