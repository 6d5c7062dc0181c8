// What differs between two modules, instruction by instruction.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/diff/module_matching.h"
#include "core/hlo/ir/module.h"

namespace hilo {

enum class ChangeKind : uint8_t { Same, Added, Removed, Changed, Moved, Reordered };
// "same", "added", "removed", "changed", "moved", "reordered".
std::string_view changeName(ChangeKind kind);

// One instruction that is not the same on both sides. The ids belong to the side's module.
struct InstructionChange {
  ChangeKind kind = ChangeKind::Changed;
  InstructionId before;  // invalid for Added
  InstructionId after;   // invalid for Removed
  std::string name;      // after's, or before's when removed
  // Of Changed: "operands, shape"; of Moved: "from body.3; shape"; of Reordered: "after add.3, was after
  // dot.1"; else "".
  std::string what;
};

struct StepDiff {
  std::vector<InstructionChange> changes;
  // Where the module after is scheduled: the fewest instructions that, taken out, leave the others of each
  // computation in the order they had. Not among `changes`.
  std::vector<InstructionChange> reordered;
  bool becameScheduled = false;
  size_t added = 0;
  size_t removed = 0;
  size_t changed = 0;
  size_t moved = 0;
  size_t relabelled = 0;  // same but for metadata, and not among `changes`
  size_t instructionsBefore = 0;
  size_t instructionsAfter = 0;
  bool namesTrusted = true;  // see module_matching.h
  // By id of the side's module: what became of the instruction, and its partner (invalid when none).
  std::vector<ChangeKind> kindBefore, kindAfter;
  std::vector<InstructionId> partnerBefore, partnerAfter;

  // But for the order.
  bool empty() const { return changes.empty(); }
};

struct DiffOptions {
  bool sharedIds = false;  // equal ids mean the same instruction (snapshots of one of Hilo's own runs)
  bool metadata = false;   // another op_name alone is a change too
};

// Changed: matched (module_matching.h), but with another opcode, shape, operands or attributes. Moved:
// matched, but in a computation that is not the partner of the one it was in; its operands are compared
// through calls and fusions. Linear in the sizes, but for sorting what a schedule reordered.
//
// What is only written differently is no change: another name; the number of a parameter, or the index
// of a tuple's element, that follows from others having come or gone; metadata and where in its source
// it comes from.
StepDiff diffModules(const Module& before, const Module& after, const DiffOptions& options = {});
// The same with a matching that is there already (options.sharedIds is not asked for).
StepDiff diffMatched(const Module& before, const Module& after, ModuleMatching matching,
                     const DiffOptions& options = {});

// How many instructions of one opcode came, went or changed.
struct OpcodeDelta {
  std::string opcode;
  int64_t before = 0, after = 0;  // instructions of it on either side
  int64_t added = 0, removed = 0, changed = 0, moved = 0;
};
// Opcodes with any difference, those with most differences first.
std::vector<OpcodeDelta> opcodeDeltas(const Module& before, const Module& after, const StepDiff& diff);

}  // namespace hilo
