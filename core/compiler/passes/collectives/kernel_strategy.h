// Notes which all-reduces are done by a kernel of the program instead of a library: small sums of f32 and
// bf16, and "or" of pred, among 2, 4 or 8 devices. One shot, in which each device reads all others, up to
// 256 KiB; two, in which each reduces a part first, up to 4 MiB (kernel_strategy in the configuration). As
// XLA's backends/gpu/transforms/collectives/collective_kernel_strategy_annotator.cc for collectives on one
// host with NVLink, from Hopper on. All-gathers, only when asked to: of whole transactions of 16 bytes, among
// a power of two of devices.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct CollectiveKernels {
  bool gathers = false;  // also all-gathers
};

Result<bool> annotateCollectiveKernels(Module& module, PassContext& context,
                                       const CollectiveKernels& kernels = {});

}  // namespace hilo
