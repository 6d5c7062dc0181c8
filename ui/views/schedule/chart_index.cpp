#include "ui/views/schedule/chart_index.h"

namespace hilo {

ChartIndex::Row ChartIndex::Row::of(const ScheduleChart& chart, std::vector<uint32_t> events) {
  Row row;
  for (const ChartAxis axis : {ChartAxis::Time, ChartAxis::Slots}) {
    Side& side = row.sides_[static_cast<size_t>(axis)];
    side.events = events;
    std::ranges::sort(side.events, {},
                      [&](uint32_t e) { return std::pair(chart.events[e].on(axis).begin, e); });
    double reach = -1;
    for (const uint32_t event : side.events) {
      const ChartSpan& span = chart.events[event].on(axis);
      reach = std::max(reach, span.end);
      side.begins.push_back(span.begin);
      side.reach.push_back(reach);
    }
  }
  return row;
}

uint32_t ChartIndex::Row::lastBegun(ChartAxis axis, double at) const {
  const Side& side = sides_[static_cast<size_t>(axis)];
  const auto behind = std::ranges::upper_bound(side.begins, at) - side.begins.begin();
  return behind == 0 ? kNoEvent : side.events[static_cast<size_t>(behind) - 1];
}

ChartIndex::ChartIndex(const ScheduleChart& chart) {
  for (const auto& events : chart.eventsOfLane) lanes_.push_back(Row::of(chart, events));
  std::vector<std::vector<uint32_t>> byDepth;
  for (const uint32_t block : chart.blocks) {
    const size_t depth = chart.events[block].depth;
    if (byDepth.size() <= depth) byDepth.resize(depth + 1);
    byDepth[depth].push_back(block);
  }
  for (auto& events : byDepth) blocks_.push_back(Row::of(chart, std::move(events)));
}

uint32_t ChartIndex::eventAt(const Row& row, const ScheduleChart& chart, ChartAxis axis, double at,
                             double slack) const {
  uint32_t best = kNoEvent;
  double least = slack;
  row.visit(axis, at - slack, at + slack, [&](uint32_t event) {
    const ChartSpan& span = chart.events[event].on(axis);
    const double away = std::max({0.0, span.begin - at, at - span.end});
    // What takes no time gives way to what does.
    const bool hidden = best != kNoEvent && span.width() <= 0 && chart.events[best].on(axis).width() > 0;
    if (away > least || (hidden && away >= least)) return;
    least = away;
    best = event;
  });
  return best;
}

uint32_t ChartIndex::neighbour(const ScheduleChart& chart, uint32_t event, ChartAxis axis,
                               int direction) const {
  const ChartEvent& from = chart.events[event];
  const Row& row = from.kind == TimelineEventKind::Block ? blocks_[from.depth] : lanes_[from.lane];
  const auto events = row.events(axis);
  const auto at = std::ranges::find(events, event) - events.begin();
  for (auto next = at + direction; next >= 0 && next < std::ssize(events); next += direction) {
    const ChartEvent& to = chart.events[events[static_cast<size_t>(next)]];
    // On the time axis what takes no time is passed over.
    if (to.instruction != from.instruction && (axis == ChartAxis::Slots || to.time.width() > 0))
      return events[static_cast<size_t>(next)];
  }
  return event;
}

}  // namespace hilo
