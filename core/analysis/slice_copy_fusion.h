// Fusions that do nothing but copy a slice within the device, so that a GPU runs them as a memory
// copy beside kernels.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// A dynamic-slice, or a dynamic-update-slice, whose offset the compiler knows as a function of loop counters
// (dynamic_slice_config in its backend configuration), of a parameter, through bitcasts, reshapes and
// contiguous slices; or a custom fusion of that name around a copy. Matches IsDynamicSliceCopyFusion of XLA's
// backends/gpu/transforms/dynamic_slice_copy.cc.
bool isDynamicSliceCopyFusion(const Instruction& instruction);

}  // namespace hilo
