// A GPU that is not there, as a device: memory of the host, PTX by SimulatedModule, streams whose work is
// done on the thread that waits for it.
//
// Order: without a seed everything is done when it is given. With one, the work of several streams is
// done in an order drawn from it, one of those that streams and events allow: what a missing event
// allows too comes about.
//
// With `isChecked`, kernels are held to the memory that their note names (Stream::note), and what two streams
// do with the same bytes must be ordered by events or by the host. What is found is given by takeFindings().
//
// Error kinds besides those of SimulatedModule: "out-of-memory", "illegal-address" (a copy outside of what
// was allocated), "endless-stream" (all that is left waits for events that nothing records). After work that
// failed every call gives its error again.
#pragma once

#include <functional>
#include <optional>

#include "core/runtime/device/device.h"
#include "core/runtime/device/simulated/simulated_module.h"

namespace hilo {

struct SimulatedDeviceOptions {
  // Kernels of a PTX text that messages call `name`, each access looked at or not.
  std::function<Result<SimulatedModule>(std::string_view ptx, const std::string& name, bool isChecked)> load;
  bool isChecked = false;
  std::optional<uint64_t> orderSeed = std::nullopt;
  int64_t memoryBytes = int64_t{80} << 30;
};

std::unique_ptr<Device> makeSimulatedDevice(SimulatedDeviceOptions options);

}  // namespace hilo
