// What several instructions say of themselves, said of the one that takes their place. Behaves like XLA's
// service/collective_combiner_utils.cc, but for the place in the source: that is the first's, which can be
// opened, and not a list of places.
#pragma once

#include <span>

#include "core/hlo/ir/module.h"

namespace hilo {

// Sets metadata and frontend attributes of `merged`. Names of operations: the folders they begin with, and
// the rest of each in parentheses, "a/(b:c)". Different values of one attribute: in order, with commas.
void mergeAttributes(std::span<Instruction* const> of, Instruction& merged);

}  // namespace hilo
