#include "ui/views/schedule/chart_rows.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr double kTitleHeight = 26, kBlockHeight = 18, kComputeHeight = 34, kLaneHeight = 26,
                 kMemoryHeight = 84;
constexpr double kGap = 4;
constexpr double kMostGrowth = 2.4, kLaneShare = 0.6, kMostMemory = 340;

// Lanes take up to kMostGrowth of their height, memory what is left then, up to a limit of its own.
void fill(std::vector<ChartRow>& rows, double room) {
  if (rows.empty()) return;
  double lanes = 0, memory = 0;
  for (const ChartRow& row : rows) {
    if (row.kind == ChartRowKind::Lane) lanes += row.height;
    if (row.kind == ChartRowKind::Memory) memory += row.height;
  }
  const double extra = std::max(0.0, room - (rows.back().bottom() - rows.front().top));
  const double share = memory > 0 ? kLaneShare : 1;
  const double growth = lanes > 0 ? std::min(kMostGrowth, 1 + extra * share / lanes) : 1;
  const double rest = extra - lanes * (growth - 1);
  double top = rows.front().top;
  for (ChartRow& row : rows) {
    if (row.kind == ChartRowKind::Lane) row.height = std::floor(row.height * growth);
    if (row.kind == ChartRowKind::Memory) row.height = std::floor(std::min(kMostMemory, row.height + rest));
    row.top = top;
    top += row.height + kGap;
  }
}

}  // namespace

QString laneLabel(const TimelineLane& lane) {
  const auto numbered = [&](const char* name) {
    return lane.number == 0 ? QString(name) : QString("%1 %2").arg(name).arg(lane.number + 1);
  };
  switch (lane.kind) {
    case LaneKind::Compute:
      return "compute";
    case LaneKind::Collective:
      return numbered("collectives");
    case LaneKind::PointToPoint:
      return numbered("send, recv");
    case LaneKind::Copy:
      return numbered("memcpy");
    case LaneKind::AsyncCompute:
      break;
  }
  if (lane.thread.empty() || lane.thread == "main") return numbered("other stream");
  return numbered((toStd(qs(lane.thread)) + " thread").c_str());
}

std::vector<ChartRow> chartRows(const ScheduleChart& chart, bool titled, double top, double room) {
  std::vector<ChartRow> rows;
  const auto add = [&](ChartRowKind kind, size_t index, double height, const QString& label) {
    rows.push_back({kind, static_cast<uint16_t>(index), top, height, label});
    top += height + kGap;
  };
  if (titled) add(ChartRowKind::Title, 0, kTitleHeight, {});
  size_t depths = 0;
  for (const uint32_t block : chart.blocks) depths = std::max<size_t>(depths, chart.events[block].depth + 1u);
  for (size_t depth = 0; depth < std::min(depths, kBlockRows); ++depth)
    add(ChartRowKind::Blocks, depth, kBlockHeight, depth == 0 ? "loops, calls" : QString());
  for (size_t lane = 0; lane < chart.lanes.size(); ++lane)
    add(ChartRowKind::Lane, lane, lane == 0 ? kComputeHeight : kLaneHeight, laneLabel(chart.lanes[lane]));
  if (!chart.memory.empty()) add(ChartRowKind::Memory, 0, kMemoryHeight, "live memory");
  fill(rows, room);
  return rows;
}

const ChartRow* rowAt(std::span<const ChartRow> rows, double y) {
  for (const ChartRow& row : rows) {
    if (y >= row.top && y < row.bottom()) return &row;
  }
  return nullptr;
}

}  // namespace hilo
