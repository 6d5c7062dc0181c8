// The rows of a chart from top to bottom: its title, the loops around, one row a lane, the memory. Pure.
#pragma once

#include <QString>
#include <vector>

#include "core/analysis/schedule/schedule_chart.h"

namespace hilo {

enum class ChartRowKind : uint8_t { Title, Blocks, Lane, Memory };

struct ChartRow {
  ChartRowKind kind = ChartRowKind::Lane;
  uint16_t index = 0;  // Blocks: depth; Lane: lane
  double top = 0;
  double height = 0;
  QString label;
  double bottom() const { return top + height; }
};

// Depths past the last row of blocks are drawn in it.
inline constexpr size_t kBlockRows = 4;

// Begins at `top`. Rows grow to fill `room` as far as that helps. Without a title when there is
// one chart only.
std::vector<ChartRow> chartRows(const ScheduleChart& chart, bool titled, double top, double room);
QString laneLabel(const TimelineLane& lane);
// Null between rows and outside.
const ChartRow* rowAt(std::span<const ChartRow> rows, double y);

}  // namespace hilo
