// Makes one kernel of two that go over the same elements: siblings, which read the same array, and a kernel
// with one that reads it, where the first must be stored for others too. As XLA's backends/gpu/transforms/
// multi_output_fusion.cc. Remarks: "fused", and "missed" with the reason for siblings of other sizes.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseOutputs(Module& module, PassContext& context);

}  // namespace hilo
