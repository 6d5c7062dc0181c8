// Orders drawn one below the other on one axis: zoom at the pointer, pan, pick, walk with the keyboard, drag
// an instruction to another place. It knows what is shown, not how it came to be: what the user wants to
// change goes out as signals. UI thread.
#pragma once

#include <QAbstractScrollArea>

#include "core/workspace/schedule/schedule_why.h"
#include "ui/views/schedule/dragged_instruction.h"
#include "ui/views/schedule/placed_charts.h"
#include "ui/views/schedule/shown_axis.h"
#include "ui/views/schedule/timeline_painter.h"

namespace hilo {

class EventHover;
class TimelineOverlay;

class ScheduleCanvas : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit ScheduleCanvas(QWidget* parent = nullptr);
  ~ScheduleCanvas() override;

  // One or two. The part of the axis that was shown stays, unless `fit` or nothing was shown before.
  void setCharts(std::vector<TimelineChart> charts, bool fit);
  // What there is to say while there is no chart.
  void setEmptyText(const QString& text);
  // Where everything is drawn, in the viewport.
  const PlacedCharts& placed() const { return placed_; }
  ShownAxis& axis() { return axis_; }

  // Selects and scrolls to it. Does not emit.
  void select(InstructionId instruction);
  InstructionId selected() const { return selected_; }
  // Where the selected instruction may stand, as the workspace told.
  void setWindow(const ScheduleAnswer* answer);
  TimelineOverlay& overlay() { return *overlay_; }
  QSize sizeHint() const override { return {900, 420}; }

 Q_SIGNALS:
  void clicked(QPointF place);  // of the viewport, after what was clicked is selected
  void instructionSelected(hilo::InstructionId id);
  void instructionActivated(hilo::InstructionId id);
  void instructionHovered(hilo::InstructionId id);
  void chartActivated(int chart);
  // The user drags or has put an instruction of the active chart in front of another.
  void moveTried(const hilo::ScheduleMove& move);
  void moveMade(const hilo::ScheduleMove& move);
  void moveLeft();  // the drag ended where it began
  void pinAsked();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  void updateBar();
  void selectByUser(InstructionId id, int chart);
  void describeSelection();
  void moveAlongAxis(TimelineMove move);
  bool moveByKey(int key, bool shift);
  void startDragging();
  void drop();

  PlacedCharts placed_;
  ShownAxis axis_;
  std::unique_ptr<EventHover> hover_;
  TimelinePainter painter_;
  QString empty_;
  InstructionId selected_;
  std::optional<LegalWindow> window_;

  enum class Drag : uint8_t { kNone, kPressed, kPanning, kMoving };
  Drag drag_ = Drag::kNone;
  QPointF pressPlace_;
  AxisView pressView_;
  int pressChart_ = -1;
  uint32_t pressEvent_ = kNoEvent;
  std::optional<DraggedInstruction> dragged_;  // while moving

  std::unique_ptr<TimelineOverlay> overlay_;  // last: it reads the others
};

}  // namespace hilo
