#include "ui/views/schedule/order_moment.h"

#include <algorithm>

namespace hilo {
namespace {

// The longest the instruction has on the compute lane; kNoEvent for an asynchronous span alone.
uint32_t computeEvent(const ScheduleChart& chart, ChartAxis axis, uint32_t first) {
  uint32_t longest = kNoEvent;
  for (uint32_t i = first;
       i < chart.events.size() && chart.events[i].instruction == chart.events[first].instruction; ++i) {
    const ChartEvent& event = chart.events[i];
    if (event.kind == TimelineEventKind::Async || event.lane != 0) continue;
    if (longest == kNoEvent || event.on(axis).width() > chart.events[longest].on(axis).width()) longest = i;
  }
  return longest;
}

}  // namespace

std::optional<OrderMoment> momentAt(const ShownOrder& order, ChartAxis axis, double at) {
  const ScheduleChart& chart = order.chart();
  if (chart.lanes.empty()) return std::nullopt;
  const uint32_t index = order.index.lane(0).lastBegun(axis, at);
  if (index == kNoEvent) return std::nullopt;
  const ChartSpan& span = chart.events[index].on(axis);
  const double part = span.width() > 0 ? (at - span.begin) / span.width() : 0;
  return OrderMoment{chart.events[index].instruction, std::clamp(part, 0.0, 1.0)};
}

std::optional<double> placeOf(const ShownOrder& order, ChartAxis axis, const OrderMoment& moment) {
  const ScheduleChart& chart = order.chart();
  const InstructionId runner = runnerOf(order, moment.instruction);
  if (!runner.valid()) return std::nullopt;
  const uint32_t first = chart.eventOf(runner);
  const uint32_t index = computeEvent(chart, axis, first);
  if (index == kNoEvent || runner != moment.instruction) return chart.events[first].on(axis).begin;
  const ChartEvent& event = chart.events[index];
  if (event.kind == TimelineEventKind::Block) return event.on(axis).end;
  return event.on(axis).begin + moment.part * event.on(axis).width();
}

}  // namespace hilo
