// When each thunk ran and on which thread, in one run: a lane a thread, time to the right, the colour says
// how long. The wheel zooms at the pointer, dragging moves, a click selects; with the keyboard left and right
// go along the lane, up and down to the next one, + - zoom, F fits.
#pragma once

#include <QWidget>

#include "ui/canvas/axis_view.h"
#include "ui/canvas/timeline_keys.h"
#include "ui/views/thunks/thunk_timeline.h"

namespace hilo {

class ThunkLanes : public QWidget {
  Q_OBJECT

 public:
  explicit ThunkLanes(QWidget* parent = nullptr);
  // Null shows nothing. The timeline is the study's.
  void setStudy(std::shared_ptr<const ThunkStudy> study, std::shared_ptr<const ThunkTimeline> timeline);
  // Every execution of it is outlined; the first is brought into sight.
  void select(uint32_t thunk);
  // In the widget; empty when it did not run or is out of sight.
  QRectF rectOf(uint32_t thunk) const;
  // Lines through all lanes, where other views point and where the cursor was put; of a thunk that ran
  // several times in the execution nearest to what was clicked last.
  void showMoments(const std::optional<ThunkMoment>& pointed, const std::optional<ThunkMoment>& placed);
  // On the time axis, where the line is that follows the pointer here or in another view, and the cursor's.
  std::optional<double> lineAt() const { return pointer_ ? pointer_ : pointedAt_; }
  std::optional<double> cursorAt() const { return placedAt_; }
  const ThunkStudy* study() const { return study_.get(); }
  const ThunkTimeline& timeline() const { return *timeline_; }
  size_t laneCount() const { return timeline_->lanes.size(); }
  const AxisView& view() const { return view_; }
  QSize sizeHint() const override { return {600, 150}; }
  QSize minimumSizeHint() const override { return {200, 60}; }

 Q_SIGNALS:
  void thunkSelected(uint32_t thunk);
  void pointed(const std::optional<hilo::ThunkMoment>& moment);  // nullopt: the pointer left
  void placed(const std::optional<hilo::ThunkMoment>& moment);
  // Of the thunk under the pointer, selected before, or of the one that is selected.
  void menuAsked(QPoint globalPlace);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool event(QEvent* event) override;

 private:
  using Span = ThunkTimeline::Span;
  struct Place {
    double top = 0, height = 0;
  };
  void layOut();
  double plotLeft() const { return plotLeft_; }
  double plotWidth() const { return std::max(1.0, width() - plotLeft_); }
  QRectF rectOf(size_t lane, const Span& span) const;
  const Span* spanAt(QPointF place) const;
  std::optional<ThunkMoment> momentAt(QPointF place) const;
  void setPointer(std::optional<QPointF> place);
  std::pair<size_t, size_t> selectedPlace() const;
  void paintRuler(QPainter& painter) const;
  void paintLane(QPainter& painter, size_t number) const;
  void walk(int lane, int along);
  void choose(const Span& span);
  void setView(const AxisView& view);

  std::shared_ptr<const ThunkStudy> study_;
  std::shared_ptr<const ThunkTimeline> timeline_ = std::make_shared<const ThunkTimeline>();
  std::vector<Place> places_;  // of the lanes, in the widget
  double plotLeft_ = 0;        // right of the widest label
  uint32_t selected_ = StudiedThunk::kNone;
  double selectedBegin_ = -1;                             // which of its executions the keyboard is at
  std::optional<double> pointer_, pointedAt_, placedAt_;  // nanoseconds
  double clickedAt_ = 0;
  AxisView view_;
  QPointF pressed_;
  AxisView pressedView_;
  bool panning_ = false;
};

}  // namespace hilo
