// "Why is it here, why not earlier, why does nothing hide it?": answered in words from dependencies, limits
// and what the scheduler compared.
#pragma once

#include "core/workspace/schedule/schedule_facts.h"

namespace hilo {

struct ScheduleAnswer {
  struct Section {
    std::string title;
    std::vector<std::string> lines;  // names of instructions stand as %name
  };
  // A move that would help, and what it is worth.
  struct Suggestion {
    std::string text;
    ScheduleMove move;
  };
  InstructionId instruction;
  std::string name;
  std::string headline;
  std::vector<Section> sections;
  std::vector<Suggestion> suggestions;
  // Where it may stand: after the one, before the other; invalid where nothing binds it.
  InstructionId after, before;
  size_t place = 0, earliest = 0, latest = 0, count = 0;  // in its computation's order
};

// With `decisions` it runs the scheduler again to see what it compared the instruction with; without, the
// answer is there at once and leaves that out. Error kinds: "unknown-instruction" (also for instructions that
// have no place of their own, as those within fusions), and those of ScheduleStudy::run.
Result<ScheduleAnswer> explainPlace(const ScheduleStudy& study, const ScheduleOutcome& outcome,
                                    InstructionId instruction, const JobContext& context,
                                    bool decisions = true);
std::string answerText(const ScheduleAnswer& answer);

// One line for a card: what it is, what it waits for.
std::string placeText(const ScheduleOutcome& outcome, const ChartEvent& event);

}  // namespace hilo
