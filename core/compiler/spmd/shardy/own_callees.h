// Shardings of what several instructions call: each caller has a computation of its own while shardings
// spread, and calls that end up alike share one again. As Shardy's import_func_calls.cc and its export.
#pragma once

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo::sdy {

struct OwnCallee {
  InstructionId caller;
  Computation* original = nullptr;
  Computation* copy = nullptr;  // called by `caller` alone
};

// Calls, loops and conditionals, at any depth. In the order of making: what a copy calls comes behind it.
// Error kind "module-too-large": nested calls double at every level.
Result<std::vector<OwnCallee>> giveOwnCallees(Module& module);

// Calls, not loops: their copies with equal shardings become one again. `made` is of giveOwnCallees.
void mergeCallees(Module& module, std::span<const OwnCallee> made);

}  // namespace hilo::sdy
