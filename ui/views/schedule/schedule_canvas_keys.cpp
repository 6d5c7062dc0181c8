// What keys and dragging do on the schedule's canvas: walking along lanes, operands and users; moving an
// instruction to another place.
#include <QKeyEvent>
#include <QScrollBar>

#include "core/analysis/async_op.h"
#include "ui/views/schedule/schedule_canvas.h"

namespace hilo {
void ScheduleCanvas::keyPressEvent(QKeyEvent* event) {
  const Chart* chart = activeChart();
  if (chart == nullptr) return QAbstractScrollArea::keyPressEvent(event);
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))
    return QAbstractScrollArea::keyPressEvent(event);
  if (const auto move = timelineMoveOf(*event)) return moveAlongTime(*move);
  switch (event->key()) {
    case Qt::Key_Left:
      return shift ? nudge(-1) : moveAlongLane(-1);
    case Qt::Key_Right:
      return shift ? nudge(+1) : moveAlongLane(+1);
    case Qt::Key_Up:
      return walk(/*toUsers=*/false);
    case Qt::Key_Down:
      return walk(true);
    case Qt::Key_Z:
      return zoomTo(selected_);
    case Qt::Key_P:
      return Q_EMIT pinAsked();
    case Qt::Key_X:
      setAxis(view_.axis == ChartAxis::Time ? ChartAxis::Slots : ChartAxis::Time);
      return Q_EMIT viewChanged();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (selected_.valid()) Q_EMIT instructionActivated(selected_);
      return;
    case Qt::Key_Escape:
      if (drag_ == Drag::kMoving) {
        drag_ = Drag::kNone;
        dropBefore_.clear();
        viewport()->update();
        return Q_EMIT moveLeft();
      }
      break;
    case Qt::Key_PageUp:
      return panBy(0.8);
    case Qt::Key_PageDown:
      return panBy(-0.8);
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void ScheduleCanvas::moveAlongTime(TimelineMove move) {
  switch (move) {
    case TimelineMove::kZoomIn:
      return zoomBy(kTimelineKeyZoom);
    case TimelineMove::kZoomOut:
      return zoomBy(1 / kTimelineKeyZoom);
    case TimelineMove::kPanLeft:
      return panBy(kTimelineKeyPan);
    case TimelineMove::kPanRight:
      return panBy(-kTimelineKeyPan);
    case TimelineMove::kFit:
      return fit();
  }
}

// By a part of the width shown; positive shows what is earlier.
void ScheduleCanvas::panBy(double part) {
  fitted_ = false;
  setView(view_.panned(part * plotWidth(), length(), plotWidth()));
}

void ScheduleCanvas::moveAlongLane(int direction) {
  const ShownOrder& order = *activeChart()->order;
  const ScheduleChart& chart = order.chart();
  uint32_t event = chart.eventOf(selected_);
  if (event == kNoEvent) {
    // The first of the compute lane that takes time.
    for (const uint32_t first : order.index.lane(0).events(view_.axis)) {
      if (chart.events[first].time.width() <= 0) continue;
      return selectByUser(chart.events[first].instruction, activeIndex());
    }
    return;
  }
  const uint32_t next = order.index.neighbour(chart, event, view_.axis, direction);
  if (next != event) selectByUser(chart.events[next].instruction, activeIndex());
}

// The operand that ends last, or the user that begins first; a done's operand is its start.
void ScheduleCanvas::walk(bool toUsers) {
  const ShownOrder& order = *activeChart()->order;
  const ScheduleChart& chart = order.chart();
  const Instruction* from = selected_.valid() ? order.module().instruction(selected_) : nullptr;
  if (from == nullptr) return moveAlongLane(+1);
  uint32_t best = kNoEvent;
  for (const Instruction* next : toUsers ? from->users() : from->operands()) {
    const uint32_t event = chart.eventOf(next->id());
    if (event == kNoEvent) continue;
    const double at = chart.events[event].slots.begin;
    if (best == kNoEvent ||
        (toUsers ? at < chart.events[best].slots.begin : at > chart.events[best].slots.begin))
      best = event;
  }
  if (best != kNoEvent) selectByUser(chart.events[best].instruction, activeIndex());
}

// One place earlier or later among what takes time.
void ScheduleCanvas::nudge(int direction) {
  const ShownOrder& order = *activeChart()->order;
  const Instruction* moving = selected_.valid() ? order.module().instruction(selected_) : nullptr;
  if (moving == nullptr) return;
  const auto counts = [](const Instruction& i) { return !isNopForScheduling(i); };
  const Instruction* at = direction < 0 ? moving->previous() : moving->next();
  while (at != nullptr && !counts(*at)) at = direction < 0 ? at->previous() : at->next();
  // Later: in front of what comes after the next one.
  if (direction > 0 && at != nullptr) at = at->next();
  if (at == nullptr) return;
  Q_EMIT moveMade({std::string(moving->name()), std::string(at->name())});
}

void ScheduleCanvas::startDrag(int chart, uint32_t event) {
  const ShownOrder& order = *charts_[static_cast<size_t>(chart)].order;
  const ScheduleChart& laid = order.chart();
  const ChartEvent& pressed = laid.events[event];
  drag_ = Drag::kMoving;
  // The end of an asynchronous span is its done.
  InstructionId moving = pressed.instruction;
  const QRectF rect = rectOf(chart, event);
  if (pressed.kind == TimelineEventKind::Async && pressed.partner.valid() &&
      pressPlace_.x() > rect.left() + rect.width() * 2 / 3)
    moving = pressed.partner;
  selectByUser(moving, chart);
  places_.clear();
  InstructionId last;
  for (uint32_t i = 0; i < laid.events.size(); ++i) {
    const ChartEvent& each = laid.events[i];
    if (each.block != pressed.block || each.instruction == last) continue;
    last = each.instruction;
    places_.push_back(i);
  }
  viewport()->setCursor(Qt::SizeHorCursor);
}

void ScheduleCanvas::dragTo(QPointF place) {
  const ShownOrder& order = *charts_[static_cast<size_t>(pressChart_)].order;
  const ScheduleChart& chart = order.chart();
  const double at = view_.toAxis(place.x() - plotLeft());
  // The instruction that begins nearest; of those that begin together, the last, which takes the time.
  const auto begin = [&](uint32_t event) { return chart.events[event].on(view_.axis).begin; };
  auto next = std::ranges::upper_bound(places_, at, {}, begin);
  if (next != places_.begin() && (next == places_.end() || at - begin(*(next - 1)) < begin(*next) - at))
    --next;
  while (next + 1 != places_.end() && begin(*(next + 1)) == begin(*next)) ++next;
  const Instruction* before = order.instructionAt(*next);
  const Instruction* moving = order.module().instruction(selected_);
  if (before == nullptr || moving == nullptr || *next == dropEvent_) return;
  dropEvent_ = *next;
  dropBefore_ = before->id() == selected_ ? std::string() : std::string(before->name());
  viewport()->update();
  if (!dropBefore_.empty()) Q_EMIT moveTried({std::string(moving->name()), dropBefore_});
}

}  // namespace hilo
