#include "ui/views/schedule/timeline_steps.h"

#include "core/analysis/async_op.h"

namespace hilo {

InstructionId alongLane(const ShownOrder& order, InstructionId from, ChartAxis axis, int direction) {
  const ScheduleChart& chart = order.chart();
  const uint32_t event = chart.eventOf(from);
  if (event != kNoEvent)
    return chart.events[order.index.neighbour(chart, event, axis, direction)].instruction;
  for (const uint32_t first : order.index.lane(0).events(axis)) {
    if (chart.events[first].time.width() > 0) return chart.events[first].instruction;
  }
  return {};
}

InstructionId alongData(const ShownOrder& order, const Instruction& from, bool toUsers) {
  const ScheduleChart& chart = order.chart();
  uint32_t best = kNoEvent;
  for (const Instruction* next : toUsers ? from.users() : from.operands()) {
    const uint32_t event = chart.eventOf(next->id());
    if (event == kNoEvent) continue;
    const double at = chart.events[event].slots.begin;
    if (best == kNoEvent ||
        (toUsers ? at < chart.events[best].slots.begin : at > chart.events[best].slots.begin))
      best = event;
  }
  return best == kNoEvent ? InstructionId{} : chart.events[best].instruction;
}

std::optional<ScheduleMove> byOnePlace(const Instruction& moving, int direction) {
  const auto beside = [&](const Instruction& i) { return direction < 0 ? i.previous() : i.next(); };
  const Instruction* at = beside(moving);
  while (at != nullptr && isNopForScheduling(*at)) at = beside(*at);
  // Later: in front of what comes after the next one.
  if (direction > 0 && at != nullptr) at = at->next();
  if (at == nullptr) return std::nullopt;
  return ScheduleMove{std::string(moving.name()), std::string(at->name())};
}

}  // namespace hilo
