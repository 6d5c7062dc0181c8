// A compiled program made ready to run on this machine.
#pragma once

#include "core/runtime/engine/engine.h"

namespace hilo {

// On the processor of this machine, or on the device of openDeviceHere that is chosen. In a worker process
// where the options say how to start one; `infeeds` as EngineSettings has them. Error kinds: those of
// Executor::make and of WorkerProcess.
Result<std::unique_ptr<Executable>> programExecutable(std::shared_ptr<const Program> program,
                                                      const std::optional<WorkerOptions>& worker,
                                                      std::vector<InfeedValues> infeeds = {},
                                                      const DeviceChoice& device = {});

}  // namespace hilo
