// Copies of computations, for passes that copy instructions which call some.
#pragma once

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// A copy with a name of its own in front of `before`. Calls in it call what they called in the original.
Computation* cloneComputation(const Computation& original, Computation* before);

// Makes `caller` call `to` where it called `from`: the first place that names it alone, so that branches may
// get one each.
void redirectCall(Instruction& caller, const Computation* from, Computation* to);

// Gives a copied loop, conditional or fusion copies of what it calls, at any depth: such a computation
// belongs to one caller. What is called or applied to elements stays shared. Error kind "module-too-large":
// nested branches that share computations double at every level.
Status giveOwnComputations(Instruction& caller);

}  // namespace hilo
