// How long a kernel of a shape takes for an instruction, by the estimate of tilings (analysis/tiling): with
// the tiles that kernels of the shape have. Private to the tuner.
#pragma once

#include <span>

#include "core/analysis/cost/device.h"
#include "core/analysis/gpu_kernel_choice.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Zeros: the instruction, or the shape, has no tiles that could be estimated.
struct KernelEstimate {
  double ns = 0;
  int64_t registers = 0;  // of a thread
};
KernelEstimate estimatedKernel(const Instruction& instruction, const GpuKernelChoice& choice,
                               const DeviceDescription& device);

}  // namespace hilo
