// An NVIDIA GPU. What it makes has the error kinds of driver_errors.def.
#pragma once

#include "core/runtime/device/cuda/driver.h"
#include "core/runtime/device/device.h"

namespace hilo {

// How many GPUs the driver sees; at least 1, or the error is of kind "no-device".
Result<int> cudaDeviceCount(const Driver& driver);

// What GPU `number` of [0, cudaDeviceCount) is, without a context on it. Kind "no-device": any other number.
Result<DeviceFacts> cudaDeviceFacts(const Driver& driver, int number);

// Takes the primary context of GPU `number`. Kind "unsupported-device" besides: it has no memory pools.
Result<std::unique_ptr<Device>> openCudaDevice(std::shared_ptr<const Driver> driver, int number);

}  // namespace hilo
