// The engines that run programs of grids on a device: a line of a table each. They compile alike, for
// the GPU there is or for the one that is simulated; DeviceExecutor runs what was compiled, in a worker
// where there is one. What a GPU leaves to libraries and to the host the host does, and the notes say
// which thunks that were.
#pragma once

#include "core/runtime/device/open_device.h"
#include "core/runtime/engine/engine.h"

namespace hilo {

std::vector<Engine> deviceEngines();

// The devices that programs of this process may run on, by the names of their engines. Error kinds:
// "unknown-device", those of Driver::load and openCudaDevice, "unsupported-gpu".
Result<std::unique_ptr<Device>> openDeviceHere(const DeviceChoice& choice);

// A program made by compileForGpu, made ready to run; in this process without a worker. Error kinds: those of
// DeviceExecutor::make and of WorkerProcess.
Result<std::unique_ptr<Executable>> deviceExecutable(Program program, const DeviceChoice& device,
                                                     const std::optional<WorkerOptions>& worker,
                                                     std::vector<InfeedValues> infeeds);

}  // namespace hilo
