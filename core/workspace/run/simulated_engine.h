// The engine cuda-sim: a module compiled for a GPU, its kernels run as grids of a simulated device. What a
// GPU leaves to libraries and to the host the host does, and the notes say which thunks that were. Its times
// say nothing of a GPU's.
#pragma once

#include "core/runtime/engine/engine.h"

namespace hilo {

Engine simulatedEngine();

// A program made by compileForGpu, made ready to run so, in this process. Error kinds: those of loadPtx and
// of Executor::make. A run's: those of SimulatedModule::launch, with the kernel as the place's instruction.
Result<std::unique_ptr<Executable>> simulatedExecutable(const Program& program,
                                                        std::vector<InfeedValues> infeeds);

}  // namespace hilo
