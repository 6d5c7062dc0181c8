// The kernels of a program for GPUs as machine code: each distinct one once, several at a time, and from the
// cache where the same assembler made the same before.
#pragma once

#include <string>
#include <vector>

#include "core/compiler/toolchain/assemble_ptx.h"
#include "core/runtime/program/program.h"

namespace hilo {

struct AssembledKernel {
  const Kernel* kernel;  // of the program, the first of its code
  AssembledPtx made;
  bool isFromCache = false;
};

// By the assembler that is found. `cacheFolder`: as kernelCacheFolder; "" keeps none. Error kinds: those of
// assemblePtx, with the kernel as the place; "too-many-registers", "too-much-shared-memory" where the target
// does not have that much.
Result<std::vector<AssembledKernel>> assembleKernels(const Program& program, const std::string& cacheFolder);

// What each takes of the GPU, a line a kernel.
std::string toText(const std::vector<AssembledKernel>& kernels);

}  // namespace hilo
