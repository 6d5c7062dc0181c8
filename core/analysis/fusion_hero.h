// The instruction that a fusion is about.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Of those nearest to the root that do more than elementwise work or move data as it lies (a reduction, dot,
// transpose, concatenate, scatter, sort, dynamic-update-slice, ...), the first; the root where there is none,
// of a tuple its first element's maker. Null in a computation without a root. XLA chooses its emitter in a
// like way (backends/gpu/codegen/fusions, FindNonTrivialHero).
const Instruction* fusionHero(const Computation& fused);

}  // namespace hilo
