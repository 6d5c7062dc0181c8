// What a kernel of a GPU does to memory, counted on the simulated GPU in check mode.
#pragma once

#include "core/base/result.h"
#include "core/runtime/device/simulated/launch.h"
#include "core/runtime/program/program.h"

namespace hilo {

struct KernelCounts {
  int64_t iterations = 0, allIterations = 0;  // that ran, of so many
  SimulatedReport report;
};

// Its first blocks alone, each buffer by itself: parameters are made up, constants are as they are, and what
// other thunks compute is zero. In this process. Error kinds: those of loadPtx and of a launch, "too-large"
// where the buffers are.
Result<KernelCounts> countedKernel(const Program& program, const KernelThunk& thunk);

}  // namespace hilo
