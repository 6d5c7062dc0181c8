// Makes one kernel of small kernels that one instruction reads, so that they are launched together: of those
// of one shape a kLoop fusion with several results, of others a kInput fusion whose results are slices of one
// array. What others read besides, unless it is the root, is left, and so is what runs longer than a launch
// takes. Innermost last: from results to operands, what was made is looked through too.
//
// XLA had it until autumn 2025 (service/gpu/transforms/horizontal_loop_fusion.cc), by this name.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseHorizontally(Module& module, PassContext& context);
// The same in the entry computation alone, where only copies are left to be fused: after copy-insertion.
Result<bool> fuseCopiesHorizontally(Module& module, PassContext& context);

}  // namespace hilo
