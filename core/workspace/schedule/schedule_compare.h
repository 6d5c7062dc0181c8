// Two orders of one module side by side: what each costs, what became of each collective, what moved and why.
#pragma once

#include "core/workspace/schedule/schedule_facts.h"

namespace hilo {

struct ComparedOverlap {
  OverlapRow a, b;
  double changeNs() const { return b.totalExposedNs() - a.totalExposedNs(); }
};

struct MovedInstruction {
  InstructionId instruction;
  std::string name, computation;
  size_t placeA = 0, placeB = 0;  // in its computation's order, from 0
  std::string why;                // what decided where it stands in b; "" when that is not known
};

struct ScheduleComparison {
  std::string nameA, nameB;
  bool abstract = false;
  ScheduleMetrics a, b;
  std::vector<ComparedOverlap> overlaps;  // largest change first
  // The fewest instructions that, taken out, leave both orders the same; those that take time or start or end
  // something come first.
  std::vector<MovedInstruction> moved;
  size_t movedCount = 0;  // `moved` holds the first kMostMoved
  static constexpr size_t kMostMoved = 400;
};

// Of two outcomes of `study`. Runs the scheduler of b again to see what decided. Errors are
// those of ScheduleStudy::run.
Result<ScheduleComparison> compareSchedules(const ScheduleStudy& study, const ScheduleOutcome& a,
                                            const ScheduleOutcome& b, const JobContext& context);
// At most `rows` collectives and as many moved instructions.
std::string comparisonText(const ScheduleComparison& comparison, size_t rows);

}  // namespace hilo
