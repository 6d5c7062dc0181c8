// Which elements of an operand an element of an instruction's result is made of.
#pragma once

#include "core/analysis/indexing/indexing_map.h"

namespace hilo {

// Of one instruction; the index is that of its array, or of the first of them, which all have its
// dimensions. Not simplified: constraints say all that has to be asked. Nullopt where that depends on more
// than indices (scatter, ragged dots, what devices exchange, tuples that are taken apart).
std::optional<IndexingMap> operandIndexing(const Instruction& instruction, size_t operand);

// The same through fusions and calls, whose inside is looked at: an element goes in where one of the
// maps says so. Simplified, without those that are empty. Nullopt where a step's is unknown, or there
// are too many.
std::optional<std::vector<IndexingMap>> readIndexing(const Instruction& instruction, size_t operand);

}  // namespace hilo
