// Which of many readers of one array need not be looked at in pairs: in a chain of layers that all read one
// weight each reader leads to all later ones.
#pragma once

#include "core/compiler/passes/fusion/kernel_order.h"

namespace hilo {

// For each reader the place among `readers` from which on all lie behind it; their number where that is not
// known: of few readers, or of many that do not lie behind each other. They stand in their order. Holds after
// merges too, which make more ways, never fewer.
std::vector<size_t> readerEnds(std::span<const Instruction* const> readers, KernelOrder& order);

}  // namespace hilo
