// How long a fusion takes with chosen tiles on a described GPU: an estimate to order tilings by, not a
// measurement. One block of threads computes a tile of the result, step by step along what is folded. What is
// counted is in the estimate, so that one sees why a tiling is slow; tiling_estimate.cpp has the assumptions.
#pragma once

#include <optional>
#include <span>

#include "core/analysis/cost/device.h"
#include "core/analysis/tiling/launch_order.h"
#include "core/analysis/tiling/tile.h"

namespace hilo {

struct TilingEstimate {
  double ns = 0;  // launchNs and the longest of the four others
  double launchNs = 0;
  double memoryNs = 0, l2Ns = 0;  // bytes of memory, and of L2
  double computeNs = 0;           // of the busiest processor
  double latencyNs = 0;           // steps one after the other, by waves

  double memoryBytes = 0, l2Bytes = 0;
  double coalesced = 1;   // of the bytes of the sectors that are read and written, those asked for
  double reusedInL2 = 0;  // of the bytes that are read, those that do not come from memory
  int64_t blocks = 1, blocksHeld = 1;  // of the launch; by one processor at a time
  double waves = 1;                    // blocks over those held at a time
  double occupancy = 0;                // threads held over those that a processor can hold
  int64_t threads = 0, registersOfThread = 0, sharedBytes = 0;
  double flops = 0;        // with what overlapping tiles compute again, and what is masked
  double tensorFlops = 0;  // of these those of tensor cores
  // "memory", "L2", "arithmetic", "latency": what the longest is of.
  const char* bound = "";
};

struct TileLaunch {
  LaunchOrder order = LaunchOrder::kRowMajor;
  std::optional<int64_t> warps;  // else as many as the tile has work for
  bool usesTensorCores = true;   // where types and sizes allow
};

// Error kinds: those of limitsOf and blocksHeld (cost/processor_limits.h): the tile does not fit the GPU.
Result<TilingEstimate> estimateTiling(const TilingSpace& space, const FusionTiling& tiling,
                                      const DeviceDescription& device, const TileLaunch& launch = {});

struct RankedTiling {
  std::vector<int64_t> sizes;
  LaunchOrder order = LaunchOrder::kRowMajor;
  TilingEstimate estimate;
  std::string refusal;  // why the GPU does not run it; then there is no estimate
};

// Of legal tilings, those of powers of two and whole dimensions, each with its best order: the quickest
// first, at equal times fewer bytes of shared memory; those that the GPU does not run last. No more than
// `tried` are looked at. Error kind "unknown-gpu".
Result<std::vector<RankedTiling>> rankTilings(const TilingSpace& space, const DeviceDescription& device,
                                              size_t tried = 2000);

}  // namespace hilo
