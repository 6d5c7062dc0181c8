#include "core/analysis/tiling/tiling_estimate.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/cost/processor_limits.h"
#include "core/analysis/tiling/tile_region.h"
#include "core/analysis/tiling/tile_traffic.h"
#include "core/analysis/tiling/tile_work.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {
namespace {

// Assumptions. Numbers are of Ampere and later, near enough to order tilings by.
constexpr double kMemoryNs = 700;            // until a read of memory is there
constexpr double kStepNs = 250;              // of a step whose reads were begun a step before
constexpr double kL2BytesOfCycle = 32;       // a processor
constexpr double kSharedBytesOfCycle = 128;  // a processor
constexpr double kL2Share = 0.7;             // of L2, that arrays are kept in until they are read again
constexpr double kReadsAhead = 64;           // bytes that a thread waits for at a time

class Estimator {
 public:
  Estimator(const TilingSpace& space, const FusionTiling& tiling, const DeviceDescription& device,
            const TileLaunch& launch)
      : space_(space),
        tiling_(tiling),
        device_(device),
        launch_(launch),
        counts_(tileCounts(space, tiling)),
        work_(workOf(space, tiling, launch.warps.value_or(0), launch.usesTensorCores)) {}

  Result<TilingEstimate> run() {
    TRY(limits_, limitsOf(device_.computeCapability));
    estimate_.threads = 32 * work_.warps;
    estimate_.registersOfThread = work_.registersOfThread;
    estimate_.sharedBytes = work_.sharedBytes;
    TRY(estimate_.blocksHeld, blocksHeld({.threads = estimate_.threads,
                                          .registersOfThread = work_.registersOfThread,
                                          .sharedBytes = work_.sharedBytes},
                                         limits_));
    fillProcessors();
    countTraffic();
    timeMemory();
    timeWork();
    conclude();
    return estimate_;
  }

 private:
  double processors() const { return static_cast<double>(device_.processors); }
  double cyclesNs(double cycles) const { return cycles / (device_.clockMHz * 1e-3); }

  void fillProcessors() {
    estimate_.blocks = std::max<int64_t>(1, tiling_.independentTiles(space_));
    atOnce_ = device_.processors * estimate_.blocksHeld;
    estimate_.waves = static_cast<double>(estimate_.blocks) / static_cast<double>(atOnce_);
    estimate_.occupancy =
        static_cast<double>(estimate_.blocksHeld * estimate_.threads) / static_cast<double>(limits_.threads);
  }

  // Of what one of many blocks reads or writes.
  void add(const TileTraffic& traffic) {
    const double blocks = static_cast<double>(estimate_.blocks) * static_cast<double>(traffic.steps);
    asked_ += blocks * traffic.bytes;
    estimate_.l2Bytes += blocks * traffic.sectorBytes;
  }

  void countTraffic() {
    std::vector<TileTraffic> reads;
    double arrays = 0;
    for (size_t i = 0; i < space_.instructions.size(); ++i) {
      const TiledInstruction& tiled = space_.instructions[i];
      const bool isScalar = !tiled.instruction->shape().isArray() || tiled.instruction->shape().rank() == 0;
      if (!tiled.operands.empty() || isScalar || tiled.instruction->opcode() == Opcode::Iota) continue;
      reads.push_back(trafficOf(space_, tiling_, i));
      arrays += std::min(allBytes(reads.back()), static_cast<double>(tiled.instruction->shape().byteSize()));
      inFlight_ += reads.back().bytes;
      add(reads.back());
    }
    const double read = estimate_.l2Bytes;
    for (const TileTraffic& traffic : reads) estimate_.memoryBytes += memoryBytesOf(traffic, arrays);
    estimate_.reusedInL2 = read > 0 ? 1 - std::min(1.0, estimate_.memoryBytes / read) : 0;
    for (const size_t root : space_.roots) {
      const TileTraffic traffic = trafficOf(space_, tiling_, root);
      estimate_.memoryBytes += static_cast<double>(estimate_.blocks) * traffic.sectorBytes;
      add(traffic);
    }
    estimate_.coalesced = estimate_.l2Bytes > 0 ? asked_ / estimate_.l2Bytes : 1;
    estimate_.l2Bytes += work_.spilledBytes * static_cast<double>(estimate_.blocks * work_.steps);
  }

  // Each different tile once.
  double allBytes(const TileTraffic& traffic) const {
    double tiles = static_cast<double>(traffic.steps);
    for (const size_t d : traffic.along) tiles *= static_cast<double>(counts_[d]);
    return tiles * traffic.sectorBytes;
  }

  // Arrays that L2 holds all of come from memory once; of others the tiles that differ among the blocks that
  // run at the same time, again in each wave.
  double memoryBytesOf(const TileTraffic& traffic, double arrays) const {
    const double once = allBytes(traffic);
    if (arrays <= kL2Share * static_cast<double>(limits_.l2Bytes)) return once;
    const int64_t blocks = std::min(estimate_.blocks, atOnce_);
    const int64_t first = (estimate_.blocks - blocks) / 2;
    const auto different =
        static_cast<double>(differentTiles(counts_, launch_.order, traffic.along, first, blocks));
    const double waves = std::max(1.0, estimate_.waves);
    const double again = waves * different * static_cast<double>(traffic.steps) * traffic.sectorBytes;
    const double all = static_cast<double>(estimate_.blocks * traffic.steps) * traffic.sectorBytes;
    return std::clamp(again, std::min(once, all), all);
  }

  // Memory is as quick as there is asked for at a time.
  void timeMemory() {
    const double rate = device_.memoryBandwidthGBps * device_.memoryEfficiency;
    const double needed = rate * kMemoryNs;
    const double ofBlock = std::min(inFlight_, kReadsAhead * static_cast<double>(estimate_.threads));
    const double running = static_cast<double>(std::min(estimate_.blocks, atOnce_));
    const double share = ofBlock > 0 ? std::min(1.0, ofBlock * running / needed) : 1;
    estimate_.memoryNs = estimate_.memoryBytes / (rate * std::max(0.01, share));
    const double busy = std::min(1.0, static_cast<double>(estimate_.blocks) / processors());
    estimate_.l2Ns = cyclesNs(estimate_.l2Bytes / (kL2BytesOfCycle * processors() * busy));
  }

  // The processor with the most blocks decides.
  void timeWork() {
    const double blocks = std::ceil(static_cast<double>(estimate_.blocks) / processors());
    const double vectorRate = device_.peakTflops.f32 * 1e3 / 2 / processors();
    double ns = work_.vectorFlops / vectorRate, sharedBytes = 0;
    for (const TileProduct& product : work_.products) {
      const double rate =
          (product.onTensorCores ? device_.matmulTflops(product.type) * device_.matmulEfficiency
                                 : device_.peakTflops.f32 * 0.7) *
          1e3 / processors();
      ns += product.flops() / rate;
      // Each row of warps reads the left operand, each column of them the right one.
      const double across = std::sqrt(static_cast<double>(work_.warps));
      sharedBytes += product.operandBytes() * static_cast<double>(product.steps) * std::max(1.0, across);
      estimate_.flops += product.flops() * static_cast<double>(estimate_.blocks);
      if (product.onTensorCores)
        estimate_.tensorFlops += product.flops() * static_cast<double>(estimate_.blocks);
    }
    estimate_.flops += work_.vectorFlops * static_cast<double>(estimate_.blocks);
    // A processor has four schedulers: fewer warps leave some without work.
    const double warps = static_cast<double>(
        work_.warps * std::min<int64_t>(estimate_.blocksHeld, static_cast<int64_t>(blocks)));
    const double issued = std::min(1.0, warps / 4);
    estimate_.computeNs = blocks * (ns / issued + cyclesNs(sharedBytes / kSharedBytesOfCycle));
    estimate_.latencyNs =
        std::ceil(estimate_.waves) * (kMemoryNs + kStepNs * static_cast<double>(work_.steps - 1));
  }

  void conclude() {
    const std::pair<double, const char*> terms[] = {{estimate_.memoryNs, "memory"},
                                                    {estimate_.l2Ns, "L2"},
                                                    {estimate_.computeNs, "arithmetic"},
                                                    {estimate_.latencyNs, "latency"}};
    const auto longest = std::ranges::max_element(terms, {}, [](const auto& term) { return term.first; });
    estimate_.launchNs = device_.kernelNs;
    estimate_.ns = estimate_.launchNs + longest->first;
    estimate_.bound = longest->second;
  }

  const TilingSpace& space_;
  const FusionTiling& tiling_;
  const DeviceDescription& device_;
  const TileLaunch launch_;
  const std::vector<int64_t> counts_;
  const TileWork work_;
  ProcessorLimits limits_;
  TilingEstimate estimate_;
  int64_t atOnce_ = 1;   // blocks that run at the same time
  double asked_ = 0;     // bytes of elements
  double inFlight_ = 0;  // bytes that a block reads in a step
};

bool isQuicker(const RankedTiling& a, const RankedTiling& b) {
  if (a.refusal.empty() != b.refusal.empty()) return a.refusal.empty();
  if (a.estimate.ns != b.estimate.ns) return a.estimate.ns < b.estimate.ns;
  return a.estimate.sharedBytes < b.estimate.sharedBytes;
}

}  // namespace

Result<TilingEstimate> estimateTiling(const TilingSpace& space, const FusionTiling& tiling,
                                      const DeviceDescription& device, const TileLaunch& launch) {
  return Estimator(space, tiling, device, launch).run();
}

Result<std::vector<RankedTiling>> rankTilings(const TilingSpace& space, const DeviceDescription& device,
                                              size_t tried) {
  if (const auto limits = limitsOf(device.computeCapability); !limits) return std::unexpected(limits.error());
  std::vector<RankedTiling> ranked;
  for (const auto& sizes : legalTilings(space, tried)) {
    const auto tiling = tilingWith(space, sizes);
    if (!tiling) continue;
    RankedTiling best{.sizes = sizes};
    for (const LaunchOrder order :
         {LaunchOrder::kRowMajor, LaunchOrder::kTransposed, LaunchOrder::kGrouped}) {
      const auto estimate = estimateTiling(space, *tiling, device, {.order = order});
      if (!estimate) {
        best.refusal = estimate.error().message;
        break;
      }
      if (order != LaunchOrder::kRowMajor && estimate->ns >= best.estimate.ns) continue;
      best.order = order;
      best.estimate = *estimate;
    }
    ranked.push_back(std::move(best));
  }
  std::ranges::stable_sort(ranked, isQuicker);
  return ranked;
}

}  // namespace hilo
