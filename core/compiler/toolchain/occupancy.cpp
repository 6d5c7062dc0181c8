#include "core/compiler/toolchain/occupancy.h"

#include <algorithm>
#include <cstdint>

namespace hilo {
namespace {

struct GpuProcessor {
  int architecture;
  int threads, blocks;
  int64_t sharedBytes;
};
constexpr GpuProcessor kProcessors[] = {
#define PROCESSOR_LIMITS(architecture, threads, blocks, sharedKiB, ofBlock, l2, columns) \
  {architecture, threads, blocks, (sharedKiB) * 1024},
#include "core/analysis/cost/processor_limits.def"
};

constexpr int64_t kRegisters = 65536, kRegistersAtOnce = 256, kWarp = 32, kWarpsAtOnce = 4;
constexpr int64_t kSharedAtOnce = 128;
// What the driver keeps of the shared memory of each block, from sm_80 on.
constexpr int64_t kReserved = 1024;

int64_t roundedUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::optional<Occupancy> occupancyOf(const KernelResources& kernel, int architecture, int threads) {
  const auto* processor = std::ranges::find(kProcessors, architecture, &GpuProcessor::architecture);
  if (processor == std::end(kProcessors) || threads < 1) return std::nullopt;
  const int64_t warps = roundedUp(threads, kWarp) / kWarp;
  Occupancy found{
      .blocks = processor->blocks, .threads = 0, .mostThreads = processor->threads, .limit = "blocks"};
  const auto atMost = [&](int64_t blocks, const char* limit) {
    if (blocks >= found.blocks) return;
    found.blocks = static_cast<int>(blocks);
    found.limit = limit;
  };
  atMost(processor->threads / (warps * kWarp), "threads");
  // Registers are given to warps.
  const int64_t ofWarp = roundedUp(kernel.registers * kWarp, kRegistersAtOnce);
  if (ofWarp > 0) atMost(kRegisters / ofWarp / kWarpsAtOnce * kWarpsAtOnce / warps, "registers");
  const int64_t shared = roundedUp(kernel.sharedBytes + (architecture >= 80 ? kReserved : 0), kSharedAtOnce);
  if (shared > 0) atMost(processor->sharedBytes / shared, "shared memory");
  found.threads = static_cast<int>(found.blocks * warps * kWarp);
  return found;
}

}  // namespace hilo
