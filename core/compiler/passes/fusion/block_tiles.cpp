#include "core/compiler/passes/fusion/block_tiles.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tiling/tiling_estimate.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

constexpr size_t kTilingsTried = 200;
// Of a tile that is read or written: two fifths of the registers of a block.
constexpr int64_t kMostTileElements = 65'536 * 2 / 5;
constexpr double kReadAgain = 1.25;  // more than the least that is read counts as that

DeviceDescription deviceOf(const GpuRates& rates) {
  DeviceDescription device;
  device.computeCapability = fmt::format("{}.{}", rates.capability / 10, rates.capability % 10);
  device.memoryBandwidthGBps = static_cast<double>(rates.memoryBandwidthGbps);
  device.processors = rates.coreCount;
  device.clockMHz = static_cast<double>(rates.clockMhz);
  device.peakTflops.f32 = static_cast<double>(rates.f32Gflops) / 1000;
  return device;
}

// Triton's tiles have powers of two as sizes.
int64_t paddedElements(const InstructionTile& tile) {
  int64_t elements = 1;
  for (const TileDimension& dimension : tile.dimensions)
    elements *= static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(dimension.size)));
  return elements;
}

bool staysInRegisters(const TiledFusion& fusion) {
  const auto fits = [&](size_t i) { return paddedElements(fusion.tiling.tiles[i]) <= kMostTileElements; };
  for (size_t i = 0; i < fusion.space.instructions.size(); ++i) {
    if (fusion.space.instructions[i].operands.empty() && !fits(i)) return false;
  }
  return std::ranges::all_of(fusion.space.roots, fits);
}

std::string configOf(const TiledFusion& fusion, int64_t warps) {
  std::string tiles;
  for (const size_t root : fusion.space.roots) {
    std::string sizes;
    for (const TileDimension& dimension : fusion.tiling.tiles[root].dimensions)
      sizes += fmt::format("{}\"{}\"", sizes.empty() ? "" : ",", dimension.size);
    tiles += fmt::format(R"({}{{"sizes":[{}]}})", tiles.empty() ? "" : ",", sizes);
  }
  return fmt::format(R"({{"output_tiles":[{}],"num_warps":"{}","num_ctas":1,"num_stages":1}})", tiles, warps);
}

void dropThoseThatReadAgain(std::vector<RankedTiling>& ranked) {
  double least = std::numeric_limits<double>::infinity();
  for (const RankedTiling& each : ranked) {
    if (each.refusal.empty()) least = std::min(least, each.estimate.l2Bytes);
  }
  std::erase_if(ranked, [&](const RankedTiling& each) { return each.estimate.l2Bytes > kReadAgain * least; });
}

}  // namespace

// The quickest that the GPU runs and a tile program does.
Result<BlockTiles> quickestTiles(const Instruction& fusion, const GpuRates& rates, bool readsOnce) {
  TRY(const TilingSpace space, tilingSpace(fusion));
  TRY(std::vector<RankedTiling> ranked, rankTilings(space, deviceOf(rates), kTilingsTried));
  if (readsOnce) dropThoseThatReadAgain(ranked);
  std::string refusal = "no tiling is legal";
  for (const RankedTiling& each : ranked) {
    const auto tiles = tiledFusion(space, each.sizes);
    if (!tiles || !each.refusal.empty()) {
      refusal = tiles ? each.refusal : tiles.error().message;
    } else if (!staysInRegisters(*tiles)) {
      refusal = "tiles are too large for registers";
    } else {
      return BlockTiles{configOf(*tiles, std::max<int64_t>(1, each.estimate.threads / 32)), each.estimate.ns};
    }
  }
  return fail("not-tileable", refusal);
}

void setBlockTiles(Instruction& fusion, const BlockTiles& tiles) {
  setGpuConfig(fusion, "fusion_backend_config", "kind", "\"__triton\"");
  setGpuConfig(fusion, "fusion_backend_config", "block_level_fusion_config", tiles.config);
  fusion.set<Attr::FusionKindKind>(FusionKind::Custom);
}

}  // namespace hilo
