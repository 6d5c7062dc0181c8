// One order as the view shows it: what the workspace found out, and what drawing needs besides. Made off the
// UI thread; nothing in it changes.
#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "core/workspace/schedule/schedule_facts.h"
#include "ui/views/schedule/chart_index.h"

namespace hilo {

struct ShownOrder {
  explicit ShownOrder(ScheduleOutcome given);

  const ScheduleOutcome outcome;
  const ChartIndex index;
  const std::vector<OverlapRow> overlaps;             // most exposed first
  absl::flat_hash_set<InstructionId> faulty, edited;  // wrong in this order; moved or pinned by hand
  const ScheduleChart& chart() const { return *outcome.chart; }
  const Module& module() const { return *outcome.module; }
  const Instruction* instructionAt(uint32_t event) const {
    return event == kNoEvent ? nullptr : module().instruction(chart().events[event].instruction);
  }
};

// What runs an instruction of the order's module that has no place of its own: the fusion it is in, the loop
// of a condition. Invalid where nothing does.
InstructionId runnerOf(const ShownOrder& order, InstructionId id);

// "1.20 ms", or "12 units" under a device that counts so.
QString timeText(double ns, bool abstract);
QString timeText(const ShownOrder& order, double ns);

}  // namespace hilo
