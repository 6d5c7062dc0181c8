// Reductions that lose what they add: a reduce that accumulates floats of fewer than 32 bits rounds to them
// after every term, so that the sum depends on the order of its terms and stops growing where a term is below
// half a unit of it.
//
// The rule is that of XLA's unstable-reduction detector (service/debug/unstable_reduction_finder.h): a reduce
// whose result is one array of such floats, over more than one element, by anything but a maximum or minimum
// of its two parameters. A compiler may widen what it accumulates in (float-normalization, reductions fused
// with a convert), so that what is named before optimizations need not be named after them.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Takes modules that do not verify.
bool isUnstableReduction(const Instruction& instruction);

// Of all computations, in the module's order.
std::vector<const Instruction*> unstableReductions(const Module& module);

}  // namespace hilo
