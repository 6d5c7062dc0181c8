#include "core/analysis/cost/processor_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace hilo {
namespace {

struct Row {
  int capability;
  ProcessorLimits limits;
};
constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr Row kRows[] = {
#define PROCESSOR_LIMITS(capability, threads, blocks, shared, sharedOfBlock, l2, columns) \
  {capability, {threads, blocks, (shared) * kKiB, (sharedOfBlock) * kKiB, (l2) * kMiB, columns}},
#include "core/analysis/cost/processor_limits.def"
};

// "9.0" as 90; 0 of what is none.
int numberOf(const std::string& capability) {
  int major = 0, minor = 0;
  const char* end = capability.data() + capability.size();
  const auto [dot, error] = std::from_chars(capability.data(), end, major);
  if (error != std::errc() || dot == end || std::from_chars(dot + 1, end, minor).ec != std::errc()) return 0;
  return 10 * major + minor;
}

Status needsAtMost(int64_t needed, int64_t most, const char* what) {
  if (needed <= most) return {};
  return fail("too-large", fmt::format("a block needs {} {}, the GPU has {}", needed, what, most), {},
              {"smaller tiles need less"});
}

}  // namespace

Result<ProcessorLimits> limitsOf(const std::string& computeCapability) {
  const int number = numberOf(computeCapability);
  const Row* found = nullptr;
  for (const Row& row : kRows) {
    if (row.capability <= number) found = &row;
  }
  if (found != nullptr) return found->limits;
  return fail("unknown-gpu",
              computeCapability.empty()
                  ? std::string("the device is no GPU: it has no compute capability")
                  : fmt::format("what GPUs of compute capability {} hold is not known", computeCapability));
}

Result<int64_t> blocksHeld(const BlockNeeds& block, const ProcessorLimits& limits) {
  TRY_STATUS(needsAtMost(block.threads, 1024, "threads"));
  TRY_STATUS(needsAtMost(block.sharedBytes, limits.sharedBytesOfBlock, "bytes of shared memory"));
  TRY_STATUS(needsAtMost(block.threads * block.registersOfThread, limits.registers, "registers"));
  TRY_STATUS(needsAtMost(block.tensorMemoryColumns, limits.tensorMemoryColumns, "columns of tensor memory"));
  int64_t held = std::min(limits.blocks, limits.threads / std::max<int64_t>(1, block.threads));
  const auto share = [&](int64_t all, int64_t needed) {
    if (needed > 0) held = std::min(held, all / needed);
  };
  share(limits.registers, block.threads * block.registersOfThread);
  share(limits.sharedBytes, block.sharedBytes);
  share(limits.tensorMemoryColumns, block.tensorMemoryColumns);
  return std::max<int64_t>(1, held);
}

}  // namespace hilo
