// Scatters whose result would depend on the order of updates, as sums of floats do, written so that it does
// not: updates are taken apart into elements and sorted by their place, those of one place are combined as a
// scan in the logarithm of their number of steps, and one update a place is scattered. As XLA's
// backends/gpu/transforms/scatter_determinism_expander.cc; the sort is stable, so that every run
// gives the same. Scatters of several arrays, and by indices of other types than s32 and s64, stay.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandForDeterminism(Module& module, PassContext& context);

}  // namespace hilo
