// What differs between two modules, instruction by instruction.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/module_matching.h"
#include "core/hlo/ir/module.h"

namespace hilo {

enum class ChangeKind : uint8_t { Same, Added, Removed, Changed, Moved };
// "same", "added", "removed", "changed", "moved".
std::string_view changeName(ChangeKind kind);

// One instruction that is not the same on both sides. The ids belong to the side's module.
struct InstructionChange {
  ChangeKind kind = ChangeKind::Changed;
  InstructionId before;  // invalid for Added
  InstructionId after;   // invalid for Removed
  std::string name;      // after's, or before's when removed
  std::string what;      // of Changed: "operands, shape"; of Moved: "from body.3; shape"; else ""
};

struct StepDiff {
  std::vector<InstructionChange> changes;
  size_t added = 0;
  size_t removed = 0;
  size_t changed = 0;
  size_t moved = 0;
  size_t instructionsBefore = 0;
  size_t instructionsAfter = 0;
  bool namesTrusted = true;  // see module_matching.h
  // By id of the side's module: what became of the instruction, and its partner (invalid when none).
  std::vector<ChangeKind> kindBefore, kindAfter;
  std::vector<InstructionId> partnerBefore, partnerAfter;

  bool empty() const { return changes.empty(); }
};

// Changed: matched (module_matching.h), but with another opcode, shape, operands or attributes; another name
// alone is no change. Moved: matched, but in a computation that is not the partner of the one it was in; its
// operands are compared through calls and fusions. Linear in the sizes.
StepDiff diffModules(const Module& before, const Module& after, bool sharedIds);

// How many instructions of one opcode came, went or changed.
struct OpcodeDelta {
  std::string opcode;
  int64_t before = 0, after = 0;  // instructions of it on either side
  int64_t added = 0, removed = 0, changed = 0, moved = 0;
};
// Opcodes with any difference, those with most differences first.
std::vector<OpcodeDelta> opcodeDeltas(const Module& before, const Module& after, const StepDiff& diff);

}  // namespace hilo
