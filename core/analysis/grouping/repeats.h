// Finds what is written many times over in a list of instructions: the layers of a model whose
// names are lost.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Consecutive parts of a list, each about as long as the others and of mostly the same instructions.
struct Repeats {
  std::vector<uint32_t> starts;  // of each part: index into the list
  uint32_t end = 0;              // of the last part
};

// At least three parts of at least eight instructions. Instructions are told apart by opcode, shape and the
// shapes of their operands; the list is cut at the place in each part where the fewest values pass from one
// part to the next. Of several runs of repeats the one that covers most; what is before and after it may hold
// more. Near-linear in the list; none when less than a third of the list repeats.
std::optional<Repeats> findRepeats(std::span<const Instruction* const> list);

// How many values pass from before each place of the list to it or beyond; one more than the list is long.
// Parameters and constants are left out: they are where they are for no reason of the program's.
std::vector<uint32_t> passingValues(std::span<const Instruction* const> list);

}  // namespace hilo
