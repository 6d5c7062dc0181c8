// In which orders the arrays lie that computations take and give: what loops carry, what branches and calls
// are given and return. Called before caller, each computation is laid out as if it stood alone
// (layout_constraints.h), and what it takes and gives lies as that comes out. A loop carries its state as its
// body gives it; all branches give what the one with most instructions gives. Where the settings say so,
// arrays of the entry that state no layout are chosen in the same way; what input_output_alias names lies the
// same on both sides. XLA's service/layout_assignment.cc.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/base/result.h"
#include "core/compiler/passes/layout/library_orders.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct LayoutInterfaces {
  // What each computation must give; its root may lie otherwise yet.
  absl::flat_hash_map<const Computation*, Shape> results;
  bool changed = false;
};
// Writes the orders into parameters, calls and the elements taken of them. Branches and bodies that several
// loops or conditionals share are copied, so that each lies as its own caller likes. Error kinds: those of
// CallGraph::build and giveOwnComputations. `result`: what the entry computation must give.
Result<LayoutInterfaces> chooseInterfaces(Module& module, const GpuLayoutSettings& settings, Shape result);

// The parameter that stands for operand `index` in what the instruction calls; null where it calls nothing or
// the operand is not for it.
const Instruction* parameterGiven(const Instruction& caller, size_t index);
// The part of a tuple: what it is made of, or who reads it; null where nobody does.
const Instruction* elementWithin(const Instruction& tuple, size_t index);

}  // namespace hilo
