// Thunks that the host does for a device: what they use is copied out, they run as on the host, what they
// wrote is copied back.
#pragma once

#include <span>

#include "core/runtime/device/device.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

// `context` without bases; `bases` are those of the allocations on the device. Waits for what was given to
// `stream` before. Error kinds: the device's and the thunk's own.
Status runHostStep(const Thunk& thunk, ThunkContext context, Stream& stream,
                   std::span<const DeviceAddress> bases);

}  // namespace hilo
