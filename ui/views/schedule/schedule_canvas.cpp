#include "ui/views/schedule/schedule_canvas.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include "core/analysis/async_op.h"
#include "ui/canvas/hover_card.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/schedule/timeline_overlay.h"

namespace hilo {
namespace {

constexpr double kGutter = 116, kRuler = 24, kFooter = 22, kChartGap = 14;
constexpr double kSlack = 3;            // pixels around an event that still count as it
constexpr double kDraggablePixels = 5;  // narrower ones are not dragged: panning is meant
constexpr int kCardMs = 350;
constexpr double kWheelStep = 1.2;
constexpr int kBarSteps = 10'000;

}  // namespace

ScheduleCanvas::ScheduleCanvas(QWidget* parent)
    : QAbstractScrollArea(parent), card_(new HoverCard(viewport())) {
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
  overlay_ = std::make_unique<TimelineOverlay>(*this);
  setAccessibleName("Timeline");
  setAccessibleDescription("Nothing is selected");
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  cardTimer_.setSingleShot(true);
  cardTimer_.setInterval(kCardMs);
  connect(&cardTimer_, &QTimer::timeout, this, &ScheduleCanvas::showCard);
  connect(horizontalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    if (updatingBars_ || charts_.empty()) return;
    const double room = length() * 0.01, hidden = length() + 2 * room - view_.perPixel * plotWidth();
    AxisView next = view_;
    next.begin = -room + hidden * value / kBarSteps;
    fitted_ = false;
    setView(next);
  });
}

double ScheduleCanvas::plotLeft() const { return kGutter; }
double ScheduleCanvas::plotWidth() const { return std::max(10.0, viewport()->width() - kGutter); }
double ScheduleCanvas::scrollY() const { return verticalScrollBar()->value(); }

double ScheduleCanvas::length() const {
  double longest = 1;
  for (const Chart& chart : charts_) longest = std::max(longest, chart.order->chart().length(view_.axis));
  return longest;
}

int ScheduleCanvas::activeIndex() const {
  for (size_t i = 0; i < charts_.size(); ++i) {
    if (charts_[i].active) return static_cast<int>(i);
  }
  return charts_.empty() ? -1 : 0;
}

const ScheduleCanvas::Chart* ScheduleCanvas::activeChart() const {
  const int index = activeIndex();
  return index < 0 ? nullptr : &charts_[static_cast<size_t>(index)];
}

ScheduleCanvas::~ScheduleCanvas() = default;

void ScheduleCanvas::setCharts(std::vector<Chart> charts, bool fit) {
  const bool first = charts_.empty();
  charts_ = std::move(charts);
  // What was dragged belongs to a chart that is gone.
  drag_ = Drag::kNone;
  pressChart_ = -1;
  pressEvent_ = dropEvent_ = kNoEvent;
  dropBefore_.clear();
  hovered_ = {};
  card_->hide();
  layOut();
  if (first || fit) fitted_ = true;
  if (fitted_) {
    this->fit();
  } else {
    setView(view_.panned(0, length(), plotWidth()));
  }
  describeSelection();
}

void ScheduleCanvas::setEmptyText(const QString& text) {
  empty_ = text;
  if (charts_.empty()) setAccessibleDescription(text);
  viewport()->update();
}

void ScheduleCanvas::layOut() {
  placed_.clear();
  double top = kRuler + kSpaceSmall;
  const auto count = static_cast<double>(std::max<size_t>(1, charts_.size()));
  const double room =
      (viewport()->height() - kRuler - kFooter - 2 * kSpaceSmall - (count - 1) * kChartGap) / count;
  for (const Chart& chart : charts_) {
    placed_.push_back({chartRows(chart.order->chart(), charts_.size() > 1, top, room)});
    if (!placed_.back().rows.empty()) top = placed_.back().rows.back().bottom() + kChartGap;
  }
  contentHeight_ = top - kChartGap;
  updateBars();
}

void ScheduleCanvas::updateBars() {
  updatingBars_ = true;
  const double room = viewport()->height() - kFooter;
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(contentHeight_ - room)));
  verticalScrollBar()->setPageStep(static_cast<int>(room));
  verticalScrollBar()->setSingleStep(20);
  const double all = length() * 1.02, shown = view_.perPixel * plotWidth();
  const double share = std::min(1.0, shown / all);
  horizontalScrollBar()->setRange(0, share >= 1 ? 0 : kBarSteps);
  horizontalScrollBar()->setPageStep(
      std::max(1, static_cast<int>(kBarSteps * share / std::max(1e-9, 1 - std::min(share, 0.999)))));
  horizontalScrollBar()->setSingleStep(std::max(1, horizontalScrollBar()->pageStep() / 10));
  if (share < 1)
    horizontalScrollBar()->setValue(
        static_cast<int>((view_.begin + length() * 0.01) / std::max(1e-9, all - shown) * kBarSteps));
  updatingBars_ = false;
}

void ScheduleCanvas::scrollContentsBy(int, int) { viewport()->update(); }

void ScheduleCanvas::setView(const AxisView& view) {
  view_ = view;
  updateBars();
  viewport()->update();
  Q_EMIT viewChanged();
}

void ScheduleCanvas::setAxis(ChartAxis axis) {
  if (axis == view_.axis) return;
  view_.axis = axis;
  fit();
  if (selected_.valid()) select(selected_);
}

void ScheduleCanvas::fit() {
  fitted_ = true;
  setView(AxisView::fitting(view_.axis, length(), plotWidth()));
}

void ScheduleCanvas::zoomBy(double factor) {
  const Chart* chart = activeChart();
  if (chart == nullptr) return;
  double x = plotWidth() / 2;
  // Around the selection where it is in sight.
  const uint32_t event = chart->order->chart().eventOf(selected_);
  if (event != kNoEvent) {
    const ChartSpan& span = chart->order->chart().events[event].on(view_.axis);
    const double middle = view_.toX((span.begin + span.end) / 2);
    if (middle >= 0 && middle <= plotWidth()) x = middle;
  }
  fitted_ = false;
  setView(view_.zoomedAt(x, factor, length(), plotWidth()));
}

void ScheduleCanvas::zoomTo(InstructionId instruction) {
  const Chart* chart = activeChart();
  const uint32_t event = chart == nullptr ? kNoEvent : chart->order->chart().eventOf(instruction);
  if (event == kNoEvent) return;
  fitted_ = false;
  setView(view_.around(chart->order->chart().events[event].on(view_.axis), length(), plotWidth()));
}

void ScheduleCanvas::showSpan(ChartSpan span) {
  fitted_ = false;
  setView({.axis = view_.axis, .begin = span.begin, .perPixel = span.width() / plotWidth()});
}

QRectF ScheduleCanvas::plot() const {
  return QRectF(plotLeft(), kRuler, plotWidth(), viewport()->height() - kRuler - kFooter);
}

void ScheduleCanvas::select(InstructionId instruction) {
  selected_ = instruction;
  window_.reset();
  const Chart* chart = activeChart();
  const uint32_t event = chart == nullptr ? kNoEvent : chart->order->chart().eventOf(instruction);
  if (event != kNoEvent && !fitted_)
    setView(view_.revealing(chart->order->chart().events[event].on(view_.axis), length(), plotWidth()));
  describeSelection();
  viewport()->update();
}

void ScheduleCanvas::setWindow(const ScheduleAnswer* answer) {
  window_.reset();
  if (answer != nullptr) window_ = Window{answer->instruction, answer->after, answer->before};
  viewport()->update();
}

// What a screen reader says of the timeline.
void ScheduleCanvas::describeSelection() {
  const Chart* chart = activeChart();
  const uint32_t event = chart == nullptr ? kNoEvent : chart->order->chart().eventOf(selected_);
  QString text = "Nothing is selected";
  if (event != kNoEvent) {
    const Instruction* instruction = chart->order->instructionAt(event);
    text = QString("%1, %2, %3")
               .arg(qs(instruction->name()), qs(instruction->opcodeText()),
                    qs(placeText(chart->order->outcome, chart->order->chart().events[event])));
  } else if (charts_.empty()) {
    text = empty_;
  }
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
}

std::pair<int, uint32_t> ScheduleCanvas::eventAt(QPointF place) const {
  if (place.x() < plotLeft() || place.y() < kRuler || place.y() > viewport()->height() - kFooter)
    return {-1, kNoEvent};
  const double y = place.y() + scrollY(), at = view_.toAxis(place.x() - plotLeft());
  for (size_t i = 0; i < charts_.size(); ++i) {
    const ChartRow* row = rowAt(placed_[i].rows, y);
    if (row == nullptr) continue;
    const ShownOrder& order = *charts_[i].order;
    const double slack = kSlack * view_.perPixel;
    const auto chart = static_cast<int>(i);
    if (row->kind == ChartRowKind::Lane)
      return {chart, order.index.eventAt(order.index.lane(row->index), order.chart(), view_.axis, at, slack)};
    if (row->kind == ChartRowKind::Blocks)
      return {chart,
              order.index.eventAt(order.index.blocks(row->index), order.chart(), view_.axis, at, slack)};
    return {chart, kNoEvent};
  }
  return {-1, kNoEvent};
}

QRectF ScheduleCanvas::rectOf(int chart, uint32_t event) const {
  if (chart < 0 || event == kNoEvent) return {};
  const ChartEvent& e = charts_[static_cast<size_t>(chart)].order->chart().events[event];
  const bool block = e.kind == TimelineEventKind::Block;
  for (const ChartRow& row : placed_[static_cast<size_t>(chart)].rows) {
    if (block ? row.kind != ChartRowKind::Blocks || row.index != std::min<size_t>(e.depth, kBlockRows - 1)
              : row.kind != ChartRowKind::Lane || row.index != e.lane)
      continue;
    const double from = std::max(0.0, view_.toX(e.on(view_.axis).begin));
    const double to = std::min(plotWidth(), view_.toX(e.on(view_.axis).end));
    if (to < from) return {};
    return QRectF(plotLeft() + from, row.top - scrollY(), to - from, row.height);
  }
  return {};
}

void ScheduleCanvas::selectByUser(InstructionId id, int chart) {
  if (chart >= 0 && chart != activeIndex()) Q_EMIT chartActivated(chart);
  if (id == selected_) return;
  select(id);
  Q_EMIT instructionSelected(id);
}

void ScheduleCanvas::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  layOut();
  if (fitted_) {
    fit();
  } else {
    setView(view_.panned(0, length(), plotWidth()));
  }
}

void ScheduleCanvas::wheelEvent(QWheelEvent* event) {
  if (charts_.empty()) return;
  const double steps = event->angleDelta().y() / 120.0, sideways = event->angleDelta().x() / 120.0;
  event->accept();
  if (event->modifiers() & Qt::ControlModifier) {
    verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(steps * 40));
    return;
  }
  fitted_ = false;
  if ((event->modifiers() & Qt::ShiftModifier) || sideways != 0) {
    setView(view_.panned((steps + sideways) * 80, length(), plotWidth()));
    return;
  }
  setView(
      view_.zoomedAt(event->position().x() - plotLeft(), std::pow(kWheelStep, steps), length(), plotWidth()));
}

void ScheduleCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return event->ignore();
  card_->hide();
  cardTimer_.stop();
  pressPlace_ = event->position();
  pressView_ = view_;
  std::tie(pressChart_, pressEvent_) = eventAt(pressPlace_);
  if (event->button() == Qt::MiddleButton) pressEvent_ = kNoEvent;
  drag_ = Drag::kPressed;
}

void ScheduleCanvas::mouseMoveEvent(QMouseEvent* event) {
  pointer_ = event->position();
  if (drag_ == Drag::kNone) return updateHover(pointer_);
  if (drag_ == Drag::kPressed) {
    if ((pointer_ - pressPlace_).manhattanLength() < 5) return;
    const QRectF rect = rectOf(pressChart_, pressEvent_);
    const bool movable = pressEvent_ != kNoEvent && rect.width() >= kDraggablePixels &&
                         charts_[static_cast<size_t>(pressChart_)].order->outcome.faults.empty();
    if (movable) {
      startDrag(pressChart_, pressEvent_);
    } else {
      drag_ = Drag::kPanning;
      fitted_ = false;
      viewport()->setCursor(Qt::ClosedHandCursor);
    }
  }
  if (drag_ == Drag::kPanning) {
    verticalScrollBar()->setValue(verticalScrollBar()->value() -
                                  static_cast<int>(pointer_.y() - pressPlace_.y()));
    setView(pressView_.panned(pointer_.x() - pressPlace_.x(), length(), plotWidth()));
    pressPlace_.setY(pointer_.y());
  }
  if (drag_ == Drag::kMoving) dragTo(pointer_);
}

void ScheduleCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag was = std::exchange(drag_, Drag::kNone);
  viewport()->unsetCursor();
  if (was == Drag::kMoving) {
    const std::string before = std::exchange(dropBefore_, {});
    dropEvent_ = kNoEvent;
    viewport()->update();
    const Instruction* moved = activeChart()->order->module().instruction(selected_);
    if (before.empty() || moved == nullptr) return Q_EMIT moveLeft();
    Q_EMIT moveMade({std::string(moved->name()), before});
    return;
  }
  if (was != Drag::kPressed || event->button() != Qt::LeftButton) return;
  const Instruction* instruction =
      pressChart_ < 0 ? nullptr : charts_[static_cast<size_t>(pressChart_)].order->instructionAt(pressEvent_);
  if (instruction != nullptr) {
    selectByUser(instruction->id(), pressChart_);
  } else if (pressChart_ >= 0 && pressChart_ != activeIndex()) {
    Q_EMIT chartActivated(pressChart_);
  }
  Q_EMIT clicked(pressPlace_);
}

void ScheduleCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto [chart, index] = eventAt(event->position());
  const Instruction* instruction =
      chart < 0 ? nullptr : charts_[static_cast<size_t>(chart)].order->instructionAt(index);
  if (instruction == nullptr) return fit();
  if (!charts_[static_cast<size_t>(chart)].active) selectByUser(instruction->id(), chart);
  zoomTo(instruction->id());
}

void ScheduleCanvas::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) viewport()->update();
}

bool ScheduleCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) {
    cardTimer_.stop();
    card_->hide();
    if (hovered_.valid()) {
      hovered_ = {};
      Q_EMIT instructionHovered({});
      viewport()->update();
    }
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void ScheduleCanvas::updateHover(QPointF place) {
  const auto [chart, event] = eventAt(place);
  const Instruction* instruction =
      chart < 0 ? nullptr : charts_[static_cast<size_t>(chart)].order->instructionAt(event);
  const InstructionId id = instruction == nullptr ? InstructionId{} : instruction->id();
  viewport()->setCursor(rectOf(chart, event).width() >= kDraggablePixels ? Qt::OpenHandCursor
                                                                         : Qt::ArrowCursor);
  if (id != hovered_) {
    hovered_ = id;
    Q_EMIT instructionHovered(id);
    viewport()->update();
    card_->hide();
  }
  if (id.valid() && !card_->isVisible()) cardTimer_.start();
}

void ScheduleCanvas::showCard() {
  const auto [chart, event] = eventAt(pointer_);
  if (chart < 0 || event == kNoEvent || drag_ != Drag::kNone) return;
  card_->showAt(pointer_.toPoint(), cardText(chart, event));
}

QString ScheduleCanvas::cardText(int chart, uint32_t index) const {
  const ShownOrder& order = *charts_[static_cast<size_t>(chart)].order;
  const Instruction* instruction = order.instructionAt(index);
  if (instruction == nullptr) return {};
  const ChartEvent& event = order.chart().events[index];
  QString html = QString("<b>%1</b><br>%2 %3<br>%4")
                     .arg(qs(instruction->name()).toHtmlEscaped(), qs(instruction->opcodeText()),
                          shapeText(instruction->shape(), 60).toHtmlEscaped(),
                          qs(placeText(order.outcome, event)).toHtmlEscaped());
  html += QString("<br>at %1, position %2")
              .arg(timeText(order, order.chart().elapsedNs(event.time.begin)))
              .arg(static_cast<qint64>(event.slots.begin) + 1);
  if (event.critical) html += "<br>on the critical path";
  if (!instruction->opName().empty()) html += "<br>" + qs(instruction->opName()).toHtmlEscaped();
  for (const ScheduleFault& fault : order.outcome.faults) {
    if (fault.instruction == instruction->id())
      html += "<br><b>" + qs(fault.message).toHtmlEscaped() + "</b>";
  }
  return html;
}

}  // namespace hilo
