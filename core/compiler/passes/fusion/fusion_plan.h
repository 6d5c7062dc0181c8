// Which instructions of a computation become one kernel. Changes nothing. The computation's instructions are
// looked at from the last to the first; each joins the kernels of its users where working it out again there
// costs less than storing it and reading it back, and else begins a kernel of its own.
#pragma once

#include <string>
#include <vector>

#include "core/compiler/pass/engine_costs.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// One kernel: the instruction whose value it stores, first, and all that is computed on the way there.
// Users come before their operands.
struct FusionGroup {
  std::vector<Instruction*> members;
  Instruction& root() const { return *members[0]; }
};

// What became of an instruction that might have joined its users.
struct FusionVerdict {
  const Instruction* instruction;
  bool fused;  // into at least one
  std::string reason;
};

struct FusionPlan {
  std::vector<FusionGroup> groups;  // of two members or more, in the order of their roots in the computation
  std::vector<FusionVerdict> verdicts;
};

FusionPlan planLoopFusion(const Computation& computation, const EngineCosts& costs);

}  // namespace hilo
