#include "ui/canvas/timeline_keys.h"

namespace hilo {

std::optional<TimelineMove> timelineMoveOf(const QKeyEvent& event) {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier)) return std::nullopt;
  switch (event.key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return TimelineMove::kZoomIn;
    case Qt::Key_S:
    case Qt::Key_Minus:
      return TimelineMove::kZoomOut;
    case Qt::Key_A:
      return TimelineMove::kPanLeft;
    case Qt::Key_D:
      return TimelineMove::kPanRight;
    case Qt::Key_F:
    case Qt::Key_0:
      return TimelineMove::kFit;
    default:
      return std::nullopt;
  }
}

}  // namespace hilo
