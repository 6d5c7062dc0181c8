#include "ui/views/schedule/shown_order.h"

#include "ui/models/text_of.h"

namespace hilo {

ShownOrder::ShownOrder(ScheduleOutcome given)
    : outcome(std::move(given)), index(*outcome.chart), overlaps(overlapRows(outcome)) {
  for (const ScheduleFault& fault : outcome.faults) {
    if (fault.instruction.valid()) faulty.insert(fault.instruction);
  }
  const auto note = [&](const std::string& name) {
    if (const Instruction* instruction = outcome.module->findInstruction(name))
      edited.insert(instruction->id());
  };
  for (const ScheduleMove& move : outcome.scenario.moves) note(move.instruction);
  for (const SchedulePin& pin : outcome.scenario.pins) note(pin.instruction);
}

QString timeText(double ns, bool abstract) { return qs(scheduleTimeText(ns, abstract)); }

QString timeText(const ShownOrder& order, double ns) {
  return timeText(ns, isAbstract(order.outcome.scenario));
}

}  // namespace hilo
