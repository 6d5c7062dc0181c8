// Kernels made into one with several results.
#pragma once

#include <span>

#include "core/hlo/ir/module.h"

namespace hilo {

// Its result is an array, or a tuple that is read by get-tuple-elements alone.
bool mayBeMerged(const Instruction& kernel);

// Makes one fusion with the results of these kernels, each a fusion or an instruction that may stand in one,
// of the same computation; what one reads of those in front of it it takes from inside. They are removed; who
// read them reads elements of the new fusion, which stands where the last stood: the caller puts the
// computation in order (orderByOperands). There must be no way from one to another through others, and each
// is one that mayBeMerged.
Instruction* mergeFusions(std::span<Instruction* const> kernels);
// The same for kernels that all have as many results, of one element type each, and do not read each other:
// the results are slices of one array that is computed as a whole.
Instruction* mergeAsSlices(std::span<Instruction* const> kernels);

// Puts operands in front of their users again, else in the order there is.
void orderByOperands(Computation& computation);

}  // namespace hilo
