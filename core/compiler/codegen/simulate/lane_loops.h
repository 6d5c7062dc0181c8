// Private to the room: the SimKernelFunction of a kernel (sim_thread.h), of its regions.
//
// Lanes that are apart are run one after the other by the loop of their region. All 32 together by another
// loop that LLVM makes vectors of: threads between two points do not depend on each other, which the loop
// says. After it what the warp does at the point is done at once where that is easily written with vectors,
// and the next loop follows.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "core/compiler/codegen/simulate/split_regions.h"
#include "core/runtime/device/simulated/simulated_code.h"

namespace hilo {

// Of the kernel all is known but its object. `hasTogether`: 32 lanes have code of their own.
void writeLaneLoops(llvm::Module& module, const ThreadRegions& regions, const SimulatedKernel& kernel,
                    bool hasTogether);

}  // namespace hilo
