// Gathers along the dimension that lies outermost in memory, before a copy into another layout and not behind
// it: copy, all-gather and copy become an all-gather, which needs no copy of what it gathers, and one copy.
// As XLA's backends/gpu/transforms/collectives/all_gather_major_dimension_rewriter.cc, but that sizes of
// packed elements are kept.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> gatherMajorDimension(Module& module, PassContext& context);

}  // namespace hilo
