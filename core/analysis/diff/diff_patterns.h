// What is alike among the differences of two modules, so that a thousand equal changes are read once.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/diff/module_diff.h"

namespace hilo {

// Instructions of one opcode that changed in the same things, or came or went for the same line of the
// program; what was the same in all of them before, and after, is said.
struct ChangeGroup {
  ChangeKind kind = ChangeKind::Changed;
  std::string opcode;           // of a changed opcode "copy -> bitcast"
  std::string what;             // see InstructionChange; of Moved without where from
  std::string detail;           // "f32[8,128] -> f32[4,128]" where all members share it; else ""
  std::vector<size_t> members;  // into StepDiff::changes, in its order
};
// The largest first.
std::vector<ChangeGroup> groupChanges(const Module& before, const Module& after, const StepDiff& diff);

// A difference that occurs several times over: changes that read each other in one computation, found again
// elsewhere with the same opcodes, kinds of change and shapes, connected in the same way. (XLA's hlo_diff
// groups whole computations so; a layer of an unrolled model is a part of one.)
struct DiffPattern {
  std::vector<std::string> lines;  // one an instruction: "added convert bf16[8,128]", operands first
  size_t changes = 0;              // of one occurrence
  std::vector<std::vector<size_t>> occurrences;  // into StepDiff::changes
};
// Patterns of at least two changes that occur at least twice; those that explain most changes first.
std::vector<DiffPattern> findDiffPatterns(const Module& before, const Module& after, const StepDiff& diff);

}  // namespace hilo
