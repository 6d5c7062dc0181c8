#include "core/runtime/thunk/device/grid_kernel.h"

#include <algorithm>

namespace hilo {

// More threads than a GPU runs at once are of no use: those there are go on with the next iteration.
Result<LaunchShape> launchShape(const GridLaunch& launch, int64_t iterations) {
  if (!launch.isSet()) return fail("wrong-launch", "the kernel is no grid");
  LaunchShape shape{.grid = {launch.gridX, launch.gridY, launch.gridZ},
                    .block = {launch.blockX, launch.blockY, launch.blockZ},
                    .cluster = {launch.clusterX, launch.clusterY, launch.clusterZ},
                    .sharedBytes = launch.sharedBytes};
  if (launch.gridX != 0) return shape;
  const int64_t block = launch.blockX;
  const int64_t blocks = iterations / block + (iterations % block != 0 ? 1 : 0);
  shape.grid.x = static_cast<uint32_t>(std::clamp<int64_t>(blocks, 1, kMostGridBlocks));
  shape.block.x = static_cast<uint32_t>(std::clamp<int64_t>(iterations, 1, block));
  return shape;
}

GridArguments::GridArguments(const GridLaunch& launch, std::span<const DeviceAddress> buffers,
                             int64_t iterations)
    : count_(static_cast<uint64_t>(iterations)) {
  if (launch.parameters.empty()) {
    for (const DeviceAddress& buffer : buffers) pointers_.push_back(&buffer);
    pointers_.push_back(&count_);
  }
  for (const uint32_t place : launch.parameters) pointers_.push_back(&buffers[place]);
}

Status launchGrid(Stream& stream, const DeviceKernel& kernel, const GridLaunch& launch,
                  std::span<const DeviceAddress> buffers, int64_t iterations) {
  TRY(const LaunchShape shape, launchShape(launch, iterations));
  return stream.launch(kernel, shape, GridArguments(launch, buffers, iterations).pointers());
}

}  // namespace hilo
