#include "ui/views/schedule/placed_charts.h"

#include <algorithm>

#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kGutter = 116, kChartGap = 14;
constexpr double kSlack = 3;  // pixels around an event that still count as it

}  // namespace

void PlacedCharts::setCharts(std::vector<TimelineChart> charts) {
  charts_ = std::move(charts);
  layOut();
}

void PlacedCharts::setSize(QSizeF size) {
  size_ = size;
  layOut();
}

void PlacedCharts::layOut() {
  rows_.clear();
  double top = kTimelineRuler + kSpaceSmall;
  const auto count = static_cast<double>(std::max<size_t>(1, charts_.size()));
  const double room =
      (size_.height() - kTimelineRuler - kTimelineFooter - 2 * kSpaceSmall - (count - 1) * kChartGap) / count;
  for (const TimelineChart& chart : charts_) {
    rows_.push_back(chartRows(chart.order->chart(), charts_.size() > 1, top, room));
    if (!rows_.back().empty()) top = rows_.back().back().bottom() + kChartGap;
  }
  height_ = top - kChartGap;
}

int PlacedCharts::activeIndex() const {
  const auto active = std::ranges::find(charts_, true, &TimelineChart::active);
  if (active != charts_.end()) return static_cast<int>(active - charts_.begin());
  return charts_.empty() ? -1 : 0;
}

const ShownOrder* PlacedCharts::orderOf(int chart) const {
  return chart < 0 ? nullptr : charts_[static_cast<size_t>(chart)].order.get();
}

double PlacedCharts::length() const {
  double longest = 1;
  for (const TimelineChart& chart : charts_)
    longest = std::max(longest, chart.order->chart().length(view_.axis));
  return longest;
}

QRectF PlacedCharts::plot() const {
  return QRectF(kGutter, kTimelineRuler, std::max(10.0, size_.width() - kGutter),
                size_.height() - kTimelineRuler - kTimelineFooter);
}

std::pair<int, uint32_t> PlacedCharts::eventAt(QPointF place) const {
  if (place.x() < plot().left() || place.y() < plot().top() || place.y() > plot().bottom())
    return {-1, kNoEvent};
  for (size_t i = 0; i < charts_.size(); ++i) {
    const ChartRow* row = rowAt(rows_[i], place.y() + top_);
    if (row == nullptr) continue;
    const auto chart = static_cast<int>(i);
    const bool isLane = row->kind == ChartRowKind::Lane;
    if (!isLane && row->kind != ChartRowKind::Blocks) return {chart, kNoEvent};
    const ShownOrder& order = *charts_[i].order;
    const auto& events = isLane ? order.index.lane(row->index) : order.index.blocks(row->index);
    return {chart, order.index.eventAt(events, order.chart(), view_.axis, toAxis(place.x()),
                                       kSlack * view_.perPixel)};
  }
  return {-1, kNoEvent};
}

const Instruction* PlacedCharts::instructionAt(QPointF place) const {
  const auto [chart, event] = eventAt(place);
  return chart < 0 ? nullptr : orderOf(chart)->instructionAt(event);
}

QRectF PlacedCharts::rectOf(int chart, uint32_t event) const {
  if (chart < 0 || event == kNoEvent) return {};
  const ChartEvent& e = orderOf(chart)->chart().events[event];
  const bool isBlock = e.kind == TimelineEventKind::Block;
  const auto kind = isBlock ? ChartRowKind::Blocks : ChartRowKind::Lane;
  const size_t index = isBlock ? std::min<size_t>(e.depth, kBlockRows - 1) : e.lane;
  for (const ChartRow& row : rows_[static_cast<size_t>(chart)]) {
    if (row.kind != kind || row.index != index) continue;
    const double from = std::max(0.0, view_.toX(e.on(view_.axis).begin));
    const double to = std::min(plot().width(), view_.toX(e.on(view_.axis).end));
    if (to < from) return {};
    return QRectF(plot().left() + from, row.top - top_, to - from, row.height);
  }
  return {};
}

}  // namespace hilo
