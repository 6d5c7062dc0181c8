#include "ui/views/schedule/shown_order.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr int kMostCallers = 20;

const Instruction* callerOf(const Computation& callee, const Module& module) {
  const Instruction* caller = nullptr;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* each : computation->instructions()) {
      const auto called = each->calledComputations();
      if (std::ranges::find(called, &callee) != called.end()) caller = each;
    }
  }
  return caller;
}

}  // namespace

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

InstructionId runnerOf(const ShownOrder& order, InstructionId id) {
  for (int depth = 0; depth < kMostCallers; ++depth) {
    if (order.chart().eventOf(id) != kNoEvent) return id;
    const Instruction* instruction = order.module().instruction(id);
    const Instruction* caller =
        instruction == nullptr ? nullptr : callerOf(instruction->parent(), order.module());
    if (caller == nullptr) return {};
    id = caller->id();
  }
  return {};
}

QString timeText(double ns, bool abstract) { return qs(scheduleTimeText(ns, abstract)); }

QString timeText(const ShownOrder& order, double ns) {
  return timeText(ns, isAbstract(order.outcome.scenario));
}

}  // namespace hilo
