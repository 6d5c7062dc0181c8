// Two kernels made into one with several results.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Makes a fusion with the results of `first` and `second`, each a fusion or an instruction that may stand in
// one, of the same computation; what `second` reads of `first` it takes from inside. Both are removed; who
// read them reads elements of the new fusion, which stands where `second` stood: the caller puts the
// computation in order (orderByOperands). There must be no way from `first` to `second` through others.
Instruction* mergeFusions(Instruction& first, Instruction& second);

// Puts operands in front of their users again, else in the order there is.
void orderByOperands(Computation& computation);

}  // namespace hilo
