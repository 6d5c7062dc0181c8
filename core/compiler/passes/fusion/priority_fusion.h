// Makes kernels of instructions that need not store what lies between them: of all values that could be
// computed inside their users instead of being stored, the one that saves most time first, until none saves
// any. A value goes into all its users, or none; a reduction goes only into elementwise work on its result.
// Remarks: "fused", and "missed" with the reason and the time it would cost. Behaves like XLA's
// backends/gpu/transforms/priority_fusion.cc, with a coarser cost model; scalar constants go last.
// Fusions that are there already stay as they are, but for those of tiles (tile_fusions.h).
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/fusion/fusion_cost.h"

namespace hilo {

Result<bool> fuseByPriority(Module& module, PassContext& context, const GpuRates& rates = {});

}  // namespace hilo
