// Orders drawn one below the other on one axis: zoom at the pointer, pan, pick, walk with the keyboard, drag
// an instruction to another place. It knows what is shown, not how it came to be: what the user wants to
// change goes out as signals. UI thread.
#pragma once

#include <QAbstractScrollArea>
#include <QTimer>

#include "core/workspace/schedule/schedule_why.h"
#include "ui/canvas/timeline_keys.h"
#include "ui/views/schedule/chart_painter.h"

namespace hilo {

class HoverCard;
class TimelineOverlay;

class ScheduleCanvas : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit ScheduleCanvas(QWidget* parent = nullptr);
  ~ScheduleCanvas() override;

  struct Chart {
    std::shared_ptr<const ShownOrder> order;
    QString title;
    bool active = true;  // the one edits go to
  };
  // One or two. The part of the axis that was shown stays, unless `fit` or nothing was shown before.
  void setCharts(std::vector<Chart> charts, bool fit);
  const std::vector<Chart>& charts() const { return charts_; }
  // What there is to say while there is no chart.
  void setEmptyText(const QString& text);

  void setAxis(ChartAxis axis);
  ChartAxis axis() const { return view_.axis; }
  const AxisView& view() const { return view_; }
  void fit();
  void zoomBy(double factor);
  void zoomTo(InstructionId instruction);
  void showSpan(ChartSpan span);
  // Where lanes are drawn, below the ruler and beside their names; in the viewport.
  QRectF plot() const;
  // Selects and scrolls to it. Does not emit.
  void select(InstructionId instruction);
  InstructionId selected() const { return selected_; }
  // Where the selected instruction may stand, as the workspace told.
  void setWindow(const ScheduleAnswer* answer);

  // The event under a place of the viewport, and the chart it is in; kNoEvent and -1 where there is none.
  std::pair<int, uint32_t> eventAt(QPointF place) const;
  // Where an event is drawn; empty when it is not in sight.
  QRectF rectOf(int chart, uint32_t event) const;
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
  void viewChanged();

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
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  struct Placed {
    std::vector<ChartRow> rows;
  };
  const Chart* activeChart() const;
  int activeIndex() const;
  double plotLeft() const;
  double plotWidth() const;
  double length() const;
  double scrollY() const;
  void layOut();
  void setView(const AxisView& view);
  void updateBars();
  void selectByUser(InstructionId id, int chart);
  void moveAlongTime(TimelineMove move);
  void panBy(double part);
  void moveAlongLane(int direction);
  void walk(bool toUsers);
  void nudge(int direction);
  void updateHover(QPointF place);
  void showCard();
  QString cardText(int chart, uint32_t event) const;
  void paintRuler(QPainter& painter);
  void paintFooter(QPainter& painter);
  void paintWindow(QPainter& painter, size_t chart);
  void paintDrop(QPainter& painter, size_t chart);
  void startDrag(int chart, uint32_t event);
  void dragTo(QPointF place);
  void describeSelection();

  std::vector<Chart> charts_;
  std::vector<Placed> placed_;
  double contentHeight_ = 0;
  QString empty_;
  AxisView view_;
  bool fitted_ = true;  // nobody has moved the view: it follows the size
  ChartPainter painter_;
  InstructionId selected_, hovered_;
  bool critical_ = true;
  bool updatingBars_ = false;

  struct Window {
    InstructionId instruction, after, before;
  };
  std::optional<Window> window_;

  enum class Drag : uint8_t { kNone, kPressed, kPanning, kMoving };
  Drag drag_ = Drag::kNone;
  QPointF pressPlace_, pointer_;
  AxisView pressView_;
  int pressChart_ = -1;
  uint32_t pressEvent_ = kNoEvent;
  std::vector<uint32_t> places_;  // events of the dragged one's computation, in order
  std::string dropBefore_;
  uint32_t dropEvent_ = kNoEvent;

  HoverCard* card_;
  QTimer cardTimer_;
  std::unique_ptr<TimelineOverlay> overlay_;  // last: it reads the others
};

}  // namespace hilo
