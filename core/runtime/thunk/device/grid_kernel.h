// A kernel of a program as a device launches it.
#pragma once

#include <absl/container/inlined_vector.h>

#include <span>

#include "core/runtime/device/device.h"
#include "core/runtime/program/program.h"

namespace hilo {

// Blocks and threads for so many iterations. Kind "wrong-launch": more than fit into a grid.
Result<LaunchShape> launchShape(const GridLaunch& launch, int64_t iterations);

// What a launch takes: the buffers it names, or all and then the iterations. 8 bytes each.
class GridArguments {
 public:
  GridArguments(const GridLaunch& launch, std::span<const DeviceAddress> buffers, int64_t iterations);
  GridArguments(const GridArguments&) = delete;
  GridArguments& operator=(const GridArguments&) = delete;
  std::span<const void* const> pointers() const { return pointers_; }

 private:
  const uint64_t count_;
  absl::InlinedVector<const void*, 16> pointers_;  // into the buffers that were given
};

// `buffers`: where the arguments and then the results lie. Error kinds: those of the device.
Status launchGrid(Stream& stream, const DeviceKernel& kernel, const GridLaunch& launch,
                  std::span<const DeviceAddress> buffers, int64_t iterations);

}  // namespace hilo
