// What differs between two modules, instruction by instruction.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

enum class ChangeKind : uint8_t { Same, Added, Removed, Changed };

// One instruction that is not the same on both sides. The ids belong to the side's module.
struct InstructionChange {
  ChangeKind kind = ChangeKind::Changed;
  InstructionId before;  // invalid for Added
  InstructionId after;   // invalid for Removed
  std::string name;      // after's, or before's when removed
  std::string what;      // of Changed: "operands, shape"; else ""
};

struct StepDiff {
  std::vector<InstructionChange> changes;
  size_t added = 0;
  size_t removed = 0;
  size_t changed = 0;
  size_t instructionsBefore = 0;
  size_t instructionsAfter = 0;
  // By id of the side's module: what became of the instruction, and its partner (invalid when none).
  std::vector<ChangeKind> kindBefore, kindAfter;
  std::vector<InstructionId> partnerBefore, partnerAfter;

  bool empty() const { return changes.empty(); }
};

// Matches by id where `sharedIds`. Else instructions of the same name and opcode are the same; what is left
// is matched by structure within computations of the same name (or called from matched instructions): same
// opcode, shape and attributes on matched operands, then roots and operands of matched users, from the root
// down. Changed: matched, but with another opcode, shape, operands, attributes or computation; another name
// alone is no change. Linear in the sizes.
StepDiff diffModules(const Module& before, const Module& after, bool sharedIds);

}  // namespace hilo
