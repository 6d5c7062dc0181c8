// Marks the collectives of loops that could as well run in another turn, since nothing dear goes with them
// and the loop carries no more for it (frontend attribute trivially_pipelineable): all-reduces and
// reduce-scatters whose result only goes into a slice of what the loop hands on, and all-gathers of a slice
// of what it was handed. Conversions, reshapes and transposes may stand between; the slices follow the loop's
// counter. An all-reduce of which each device keeps its part counts as the reduce-scatter it becomes. Left
// alone: results of 1 GiB and more, sums of several arrays, bodies that several loops share. As XLA's
// backends/gpu/transforms/collectives/collective_pipelining_analyzer.cc, but that every array of an
// all-gather must be such a slice, and what is stored must be the updated part.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> markPipelineableCollectives(Module& module, PassContext& context);

}  // namespace hilo
