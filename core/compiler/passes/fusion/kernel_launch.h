// How many threads XLA's emitters start for a kernel (backends/gpu/codegen/emitters, service/gpu/
// launch_dimensions.cc): few of them leave processors and memory idle.
#pragma once

#include "core/compiler/passes/fusion/kernel_emitter.h"

namespace hilo {

struct KernelLaunch {
  int64_t blocks = 1, threads = 1;  // of one block
};

// Of the kernel that stores `root`; `coreCount` processors.
KernelLaunch kernelLaunch(const Instruction& root, KernelEmitter emitter,
                          absl::FunctionRef<bool(const Instruction&)> holds, int64_t coreCount);

}  // namespace hilo
