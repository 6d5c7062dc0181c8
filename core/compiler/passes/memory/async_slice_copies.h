// Makes copies of slices within the device asynchronous, so that they run beside kernels: fusions that do
// nothing else, whose offset is known (core/analysis/slice_copy_fusion.h). As XLA's
// backends/gpu/transforms/dynamic_slice_copy_fusion_async_wrapper.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> makeSliceCopiesAsync(Module& module, PassContext& context);

}  // namespace hilo
