// The kernels that could be made of an instruction, or of a fusion, for a tuner to try: by what it computes
// and what the architecture has. No LLVM.
#pragma once

#include <vector>

#include "core/analysis/gpu_kernel_choice.h"
#include "core/compiler/codegen/gpu/gpu_target.h"

namespace hilo {

struct KernelVariant {
  GpuKernelChoice choice;
  // Plain, and tested the longest: where answers differ, it is taken to be right.
  bool isTrusted = false;
};

// Fewer than two: there is no choice. One of them may still be refused when it is compiled
// ("no-such-kernel", "too-large").
std::vector<KernelVariant> kernelVariants(const Instruction& instruction, const GpuTarget& target);

}  // namespace hilo
