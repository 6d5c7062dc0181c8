// This machine as a device: a stream does what it is given at once, on the calling thread, and an address is
// one of this process. For what an executor of devices does on the host; the cpu engine's own executor calls
// kernels without it.
#pragma once

#include "core/runtime/device/device.h"

namespace hilo {

// Error kinds of what it makes: "out-of-memory", "wrong-launch" (a launch with clusters or shared memory),
// and those of HostCode.
std::unique_ptr<Device> makeHostDevice();

}  // namespace hilo
