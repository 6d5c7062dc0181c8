// What follows the pointer over the timeline: a line through all lanes with the time and the live memory
// there, another where a click put the cursor, and the range that was dragged in the ruler with what happens
// in it. M keeps the range, or what the selected instruction takes, as a mark that stays while others are
// looked at, and takes the mark there away; Shift+M takes away all. It takes the mouse in the ruler and draws
// above the canvas; Escape takes the range away. UI thread.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "ui/style/colours.h"
#include "ui/views/schedule/order_moment.h"

namespace hilo {

class ScheduleCanvas;

class TimelineOverlay : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineOverlay(ScheduleCanvas& canvas);

  // Of the axis; nullopt: nothing was dragged.
  std::optional<ChartSpan> range() const { return range_; }
  // On the axis, in the order they were set; of instructions that the order shown does not have none.
  std::vector<ChartSpan> marks() const;
  // Nothing is measured or marked: another module comes.
  void clear();
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
  struct Mark {
    OrderMoment begin, end;
  };
  bool takeKey(const QKeyEvent& event);
  void toggleMark();
  std::optional<ChartSpan> spanToMark() const;
  ChartSpan spanOf(const Mark& mark) const;
  bool takeMouse(QEvent& event);
  QString textOf(ChartSpan span) const;
  void paintRange(QPainter& painter, ChartSpan span, ColourRole colour, size_t row) const;
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
  std::vector<Mark> marks_;
  double pressedAt_ = 0;
  bool dragging_ = false;
};

}  // namespace hilo
