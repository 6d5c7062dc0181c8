// A kernel of a program as a device launches it.
#pragma once

#include <span>

#include "core/runtime/device/device.h"
#include "core/runtime/program/program.h"

namespace hilo {

// Blocks and threads for so many iterations. Kind "wrong-launch": more than fit into a grid.
Result<LaunchShape> launchShape(const GridLaunch& launch, int64_t iterations);

// `buffers`: where the arguments and then the results lie. Error kinds: those of the device.
Status launchGrid(Stream& stream, const DeviceKernel& kernel, const GridLaunch& launch,
                  std::span<const DeviceAddress> buffers, int64_t iterations);

}  // namespace hilo
