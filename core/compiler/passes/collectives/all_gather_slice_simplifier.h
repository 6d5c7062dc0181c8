// Replaces a dynamic-slice in which each device takes back from an all-gather what it put in by what it put
// in. A reshape may stand between. As XLA's
// backends/gpu/transforms/collectives/all_gather_dynamic_slice_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct SlicesOfGathers {
  bool ofSharedGathers = false;
};

Result<bool> simplifySlicesOfAllGathers(Module& module, PassContext& context,
                                        const SlicesOfGathers& which = {});

}  // namespace hilo
