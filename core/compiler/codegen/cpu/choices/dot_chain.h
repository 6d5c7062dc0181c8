// Work between two dots that goes row by row, such as the scores of an attention: few rows at a time can
// go through all of it while they lie in a near cache, and the matrices between are never stored.
#pragma once

#include <optional>

#include "core/hlo/ir/module.h"

namespace hilo {

// The dot whose rows the middle takes, what is done to them, and the dot that takes the rows the
// middle makes, on its left.
struct DotChain {
  Instruction *before = nullptr, *middle = nullptr, *after = nullptr;
};

// The chain around `middle`, an elementwise operation or a fusion of some and of reductions of rows. nullopt:
// there is none, or it is too small to be worth it, or the right sides of the dots are too large to be
// read for every few rows.
std::optional<DotChain> dotChain(Instruction& middle);

// The chain that makes up a whole computation.
std::optional<DotChain> dotChainOf(const Computation& computation);

}  // namespace hilo
