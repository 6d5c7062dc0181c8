// Edits of an order: where an instruction may stand, moving it there, holding it in place, an order given in
// words. Private to this folder's schedule files.
#pragma once

#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/schedule/keep_dependencies.h"
#include "core/workspace/schedule/schedule_scenario.h"

namespace hilo {

// The places between an instruction's dependencies and its dependents. Get-tuple-elements, bitcasts and
// constants bind nothing by themselves: they move along.
struct LegalWindow {
  size_t place = 0;     // now
  size_t earliest = 0;  // first place it may take, last place it may take
  size_t latest = 0;
  const Instruction* after = nullptr;   // what it may not come before; null: nothing
  const Instruction* before = nullptr;  // what it may not come after
};
LegalWindow legalWindow(const Instruction& instruction);

// By name, with or without '%'; linear. Error kind "unknown-instruction".
Result<Instruction*> namedInstruction(const Module& module, const std::string& name);

// As near to the asked place as is legal; a note where that is not the place itself, and one where the
// instruction or the place is unknown.
void applyMove(Module& module, const ScheduleMove& move, std::vector<std::string>& notes);

// Control dependencies for the scheduler to keep, taken away again by removePins. A pin that would close a
// cycle is left out, with a note. Orders are put right where the dependencies ask for it.
class PinnedOrder {
 public:
  PinnedOrder(Module& module, std::span<const SchedulePin> pins, std::vector<std::string>& notes);
  void removePins();

 private:
  struct Saved {
    Instruction* instruction;
    std::vector<Instruction*> predecessors;
  };
  void hold(Instruction& before, Instruction& after, std::vector<std::string>& notes);
  std::vector<Saved> saved_;
};

// Orders computations as `text` has them: one instruction a line, the rest of a line set aside, or HLO text.
// Without a computation's header the lines are the entry's. What is wrong is told; the computation is then as
// near to the text as a permutation can be.
std::vector<OrderFault> applyOrder(Module& module, const std::string& text, std::vector<std::string>& notes);

}  // namespace hilo
