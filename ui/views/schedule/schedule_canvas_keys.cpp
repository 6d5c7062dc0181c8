// What keys do on the schedule's canvas: moving along the axis, walking along lanes, operands and users,
// moving the selected instruction.
#include <QKeyEvent>

#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/timeline_steps.h"

namespace hilo {

void ScheduleCanvas::keyPressEvent(QKeyEvent* event) {
  const bool isOther = event->modifiers() & (Qt::ControlModifier | Qt::AltModifier);
  if (placed_.empty() || isOther) return QAbstractScrollArea::keyPressEvent(event);
  if (const auto move = timelineMoveOf(*event)) return moveAlongAxis(*move);
  if (moveByKey(event->key(), event->modifiers() & Qt::ShiftModifier)) return;
  switch (event->key()) {
    case Qt::Key_Z:
      return axis_.zoomTo(selected_);
    case Qt::Key_P:
      return Q_EMIT pinAsked();
    case Qt::Key_X:
      axis_.set(axis_.axis() == ChartAxis::Time ? ChartAxis::Slots : ChartAxis::Time);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (selected_.valid()) Q_EMIT instructionActivated(selected_);
      return;
    case Qt::Key_Escape:
      if (drag_ != Drag::kMoving) break;
      drag_ = Drag::kNone;
      dragged_.reset();
      viewport()->update();
      return Q_EMIT moveLeft();
    case Qt::Key_PageUp:
      return axis_.panBy(0.8);
    case Qt::Key_PageDown:
      return axis_.panBy(-0.8);
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void ScheduleCanvas::moveAlongAxis(TimelineMove move) {
  switch (move) {
    case TimelineMove::kZoomIn:
      return axis_.zoomAround(selected_, kTimelineKeyZoom);
    case TimelineMove::kZoomOut:
      return axis_.zoomAround(selected_, 1 / kTimelineKeyZoom);
    case TimelineMove::kPanLeft:
      return axis_.panBy(kTimelineKeyPan);
    case TimelineMove::kPanRight:
      return axis_.panBy(-kTimelineKeyPan);
    case TimelineMove::kFit:
      return axis_.fit();
  }
}

// The arrows; false for other keys. With shift the selected instruction itself moves.
bool ScheduleCanvas::moveByKey(int key, bool shift) {
  const bool isAcross = key == Qt::Key_Left || key == Qt::Key_Right;
  if (!isAcross && key != Qt::Key_Up && key != Qt::Key_Down) return false;
  const ShownOrder& order = *placed_.activeOrder();
  const Instruction* from = selected_.valid() ? order.module().instruction(selected_) : nullptr;
  const int direction = key == Qt::Key_Left ? -1 : +1;
  if (isAcross && shift) {
    const auto move = from == nullptr ? std::nullopt : byOnePlace(*from, direction);
    if (move) Q_EMIT moveMade(*move);
    return true;
  }
  const bool alongData = !isAcross && from != nullptr;
  const InstructionId next = alongData ? hilo::alongData(order, *from, key == Qt::Key_Down)
                                       : alongLane(order, selected_, axis_.axis(), direction);
  if (next.valid()) selectByUser(next, placed_.activeIndex());
  return true;
}

}  // namespace hilo
