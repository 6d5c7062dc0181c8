#include "core/runtime/device/simulated/launch_check.h"

#include <fmt/format.h>

#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {
namespace {

constexpr uint32_t kMostThreads = 1024;
constexpr uint32_t kMostCluster = 16;
constexpr uint32_t kSharedLimit = 1u << kClusterRankShift;

Status checkCluster(const SimulatedCode& code, const SimulatedKernel& kernel, const SimulatedLaunch& launch) {
  const SimDim required = {kernel.requiredCluster[0], kernel.requiredCluster[1], kernel.requiredCluster[2]};
  if (required.x != 0 && required != launch.cluster)
    return fail("wrong-launch",
                fmt::format("{}: clusters of {} are not its .reqnctapercluster, {}", kernel.name,
                            dimText(&launch.cluster.x), dimText(&required.x)),
                {.file = code.file});
  const uint64_t cluster = product(launch.cluster);
  bool divides = cluster > 0 && cluster <= kMostCluster;
  for (int i = 0; divides && i < 3; ++i) divides = launch.grid[i] % launch.cluster[i] == 0;
  if (!divides)
    return fail("wrong-launch",
                fmt::format("{}: clusters of {} do not divide the grid {}", kernel.name,
                            dimText(&launch.cluster.x), dimText(&launch.grid.x)),
                {.file = code.file});
  return {};
}

}  // namespace

uint64_t product(const SimDim& dim) { return uint64_t{dim[0]} * dim[1] * dim[2]; }
std::string dimText(const uint32_t* dim) { return fmt::format("({}, {}, {})", dim[0], dim[1], dim[2]); }

Status checkLaunch(const SimulatedCode& code, const SimulatedKernel& kernel, const SimulatedLaunch& launch) {
  const auto wrong = [&](std::string message) -> Status {
    return fail("wrong-launch", fmt::format("{}: {}", kernel.name, message), {.file = code.file});
  };
  const uint64_t threads = product(launch.block);
  if (product(launch.grid) == 0 || threads == 0) return wrong("a grid or block without threads");
  if (threads > kMostThreads)
    return wrong(fmt::format("{} threads a block are more than {}", threads, kMostThreads));
  if (kernel.mostThreads != 0 && threads > kernel.mostThreads)
    return wrong(
        fmt::format("{} threads a block are more than its .maxntid, {}", threads, kernel.mostThreads));
  const SimDim required = {kernel.requiredThreads[0], kernel.requiredThreads[1], kernel.requiredThreads[2]};
  if (required[0] != 0 && required != launch.block)
    return wrong(
        fmt::format("blocks of {} are not its .reqntid, {}", dimText(&launch.block.x), dimText(&required.x)));
  if (launch.params.size() < kernel.paramBytes)
    return wrong(fmt::format("{} bytes of parameters, not {}", launch.params.size(), kernel.paramBytes));
  if (uint64_t{kernel.sharedBytes} + launch.sharedBytes + 128 > kSharedLimit)
    return wrong(fmt::format("more than {} bytes of shared memory a block", kSharedLimit));
  return checkCluster(code, kernel, launch);
}

}  // namespace hilo
