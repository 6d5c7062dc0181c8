// When each thunk ran and on which thread, in one run: a lane a thread, time to the right, the colour says
// how long. The wheel zooms at the pointer, dragging moves, a click selects; with the keyboard left and right
// go along the lane, up and down to the next one, + - zoom, F fits.
#pragma once

#include <QWidget>

#include "core/workspace/thunks/thunk_study.h"
#include "ui/canvas/axis_view.h"

namespace hilo {

class ThunkLanes : public QWidget {
  Q_OBJECT

 public:
  explicit ThunkLanes(QWidget* parent = nullptr);
  // Null shows nothing.
  void setStudy(std::shared_ptr<const ThunkStudy> study);
  // Every execution of it is outlined; the first is brought into sight.
  void select(uint32_t thunk);
  // In the widget; empty when it did not run or is out of sight.
  QRectF rectOf(uint32_t thunk) const;
  size_t laneCount() const { return lanes_.size(); }
  const AxisView& view() const { return view_; }
  QSize sizeHint() const override { return {600, 150}; }
  QSize minimumSizeHint() const override { return {200, 60}; }

 Q_SIGNALS:
  void thunkSelected(uint32_t thunk);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  // Thunks that run others lie in the upper strip of their lane, what they run below.
  struct Span {
    uint32_t thunk = 0;
    uint16_t depth = 0;
    double begin = 0, end = 0;
  };
  struct Lane {
    QString label;
    std::vector<Span> spans;  // by begin
    uint16_t depths = 1;
    double top = 0, height = 0;
  };
  void layOut();
  void addLanes();
  double plotLeft() const;
  double plotWidth() const { return std::max(1.0, width() - plotLeft()); }
  QRectF rectOf(const Lane& lane, const Span& span) const;
  const Span* spanAt(QPointF place) const;
  std::pair<size_t, size_t> selectedPlace() const;
  void paintRuler(QPainter& painter) const;
  void paintLane(QPainter& painter, const Lane& lane) const;
  void walk(int lane, int along);
  void choose(const Span& span);
  void setView(const AxisView& view);

  std::shared_ptr<const ThunkStudy> study_;
  std::vector<Lane> lanes_;
  double length_ = 0;       // nanoseconds
  double longest_ = 1;      // of what runs nothing else
  std::vector<bool> runs_;  // by thunk: it runs others
  uint32_t selected_ = StudiedThunk::kNone;
  double selectedBegin_ = -1;  // which of its executions the keyboard is at
  AxisView view_;
  QPointF pressed_;
  AxisView pressedView_;
  bool panning_ = false;
};

}  // namespace hilo
