// The whole step in one thin strip above the timeline: how busy the compute lane is, where it waits, and
// which part the timeline shows. A click or a drag moves that part. UI thread.
#pragma once

#include <QWidget>
#include <vector>

namespace hilo {

class ScheduleCanvas;
struct ShownOrder;

class OverviewStrip : public QWidget {
 public:
  explicit OverviewStrip(ScheduleCanvas& canvas, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {200, 22}; }
  QSize minimumSizeHint() const override { return {40, 22}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  // Of a column of pixels, parts of it from 0 to 1.
  struct Column {
    double busy = 0, exposed = 0;
  };
  void measure(const ShownOrder& order);
  void moveTo(double x);

  ScheduleCanvas& canvas_;
  const void* measured_ = nullptr;  // the chart that the columns are of
  bool onSlots_ = false;
  std::vector<Column> columns_;
};

}  // namespace hilo
