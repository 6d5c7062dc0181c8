#include "ui/views/schedule/timeline_range.h"

#include <algorithm>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

double common(ChartSpan a, ChartSpan b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

double timesRun(const ScheduleChart& chart, const ChartEvent& event, ChartSpan part) {
  double times = 1;
  for (uint32_t at = event.block; at != kNoEvent; at = chart.events[at].block) {
    const ChartEvent& block = chart.events[at];
    if (block.time.begin >= part.begin && block.time.end <= part.end)
      times *= static_cast<double>(block.repeat);
  }
  return times;
}

// The first sample behind a place; samples are in the order of the schedule.
auto sampleBehind(const ScheduleChart& chart, double timeNs) {
  return std::ranges::upper_bound(chart.memory, timeNs, {}, &ChartMemory::timeNs);
}

}  // namespace

RangeFigures rangeFigures(const ScheduleChart& chart, ChartSpan time) {
  RangeFigures figures;
  figures.durationNs = chart.elapsedNs(time.end) - chart.elapsedNs(time.begin);
  for (const ChartEvent& event : chart.events) {
    const bool waits = event.kind == TimelineEventKind::Wait;
    if (event.lane != 0 || (event.kind != TimelineEventKind::Work && !waits)) continue;
    const double inside = common(event.time, time) * timesRun(chart, event, time);
    (waits || event.synchronous ? figures.exposedNs : figures.busyNs) += inside;
  }
  figures.peakBytes = liveBytesAt(chart, time.begin);
  for (auto at = sampleBehind(chart, time.begin); at != chart.memory.end() && at->timeNs < time.end; ++at)
    figures.peakBytes = std::max(figures.peakBytes, at->bytes);
  return figures;
}

ChartSpan timeOf(const ScheduleChart& chart, ChartAxis axis, ChartSpan part) {
  if (axis == ChartAxis::Time) return {std::max(0.0, part.begin), std::min(chart.durationNs, part.end)};
  ChartSpan time{chart.durationNs, 0};
  for (const ChartEvent& event : chart.events) {
    if (event.kind == TimelineEventKind::Block || common(event.slots, part) <= 0) continue;
    time.begin = std::min(time.begin, event.time.begin);
    time.end = std::max(time.end, event.time.end);
  }
  return time.end < time.begin ? ChartSpan{} : time;
}

int64_t resultBytes(const ShownOrder& order, ChartSpan time) {
  double bytes = 0;
  const ScheduleChart& chart = order.chart();
  for (uint32_t n = 0; n < chart.events.size(); ++n) {
    const ChartEvent& event = chart.events[n];
    if (event.kind != TimelineEventKind::Work || event.time.begin < time.begin ||
        event.time.begin >= time.end)
      continue;
    if (const Instruction* instruction = order.instructionAt(n))
      bytes += static_cast<double>(instruction->shape().byteSize()) * timesRun(chart, event, time);
  }
  return static_cast<int64_t>(std::min(bytes, 9e18));
}

QString rangeText(const ShownOrder& order, ChartSpan time) {
  const RangeFigures figures = rangeFigures(order.chart(), time);
  QStringList parts = {timeText(order, figures.durationNs)};
  if (figures.durationNs > 0)
    parts << QString("busy %1%").arg(100 * figures.busyNs / figures.durationNs, 0, 'f', 0);
  parts << "exposed " + timeText(order, figures.exposedNs)
        << "results " + bytesText(resultBytes(order, time));
  if (figures.peakBytes > 0) parts << "peak " + bytesText(figures.peakBytes);
  return parts.join(" · ");
}

int64_t liveBytesAt(const ScheduleChart& chart, double timeNs) {
  const auto behind = sampleBehind(chart, timeNs);
  return behind == chart.memory.begin() ? 0 : std::prev(behind)->bytes;
}

}  // namespace hilo
