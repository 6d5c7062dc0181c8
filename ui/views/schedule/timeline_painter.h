// Draws a timeline: its charts, the ruler above and the legend below them, where the selected instruction may
// stand, and where a dragged one would.
#pragma once

#include <optional>

#include "ui/views/schedule/chart_painter.h"
#include "ui/views/schedule/dragged_instruction.h"
#include "ui/views/schedule/placed_charts.h"

namespace hilo {

// Where an instruction may stand: after the one, before the other; invalid where nothing binds it.
struct LegalWindow {
  InstructionId instruction, after, before;
};

struct TimelineScene {
  const Theme& theme;
  const PlacedCharts& placed;  // one chart at least
  InstructionId selected, hovered;
  std::optional<LegalWindow> window;
  const DraggedInstruction* dragged;  // null for none
  int draggedIn;                      // its chart
};

// Keeps its buffers between frames. UI thread.
class TimelinePainter {
 public:
  void paint(QPainter& painter, const TimelineScene& scene);

 private:
  ChartPainter charts_;
};

}  // namespace hilo
