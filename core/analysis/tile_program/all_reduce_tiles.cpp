#include "core/analysis/tile_program/all_reduce_tiles.h"

#include <algorithm>
#include <bit>

#include "core/analysis/dimension_order.h"
#include "core/hlo/ir/computation.h"

namespace hilo {
namespace {

constexpr int64_t kMostBlocks = 32, kMostThreads = 512, kThreadsOfWarp = 32, kElementsOfThread = 4;

int64_t timesIn(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

int64_t powerFrom(int64_t least) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least))); }

}  // namespace

std::vector<int64_t> powerOfTwoTiles(Shape array, int64_t most) {
  std::vector<int64_t> sizes(array.rank());
  for (const int64_t d : majorToMinor(array)) {
    const int64_t length = std::max<int64_t>(array.dimension(static_cast<size_t>(d)), 1);
    const auto pieces = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::min(most, length))));
    const int64_t size = powerFrom(timesIn(length, pieces));
    sizes[static_cast<size_t>(d)] = size;
    most /= timesIn(length, size);
  }
  return sizes;
}

AllReduceTiles allReduceTiles(const AllReduceKernel& kernel) {
  const Shape array = kernel.instruction->operand(0)->shape();
  const int64_t ofRank = array.elementCount() / (kernel.isTwoShot ? kernel.ranks : 1);
  const int64_t warps = std::max<int64_t>(timesIn(timesIn(ofRank, kElementsOfThread), kThreadsOfWarp), 1);
  const int64_t threads = warps * kThreadsOfWarp, ofBlock = std::min(kMostThreads, powerFrom(threads));
  const int64_t blocks = std::min(kMostBlocks, timesIn(threads, ofBlock));
  return {.blocks = blocks, .threadsOfBlock = ofBlock, .sizes = powerOfTwoTiles(array, blocks)};
}

std::optional<AllReduceTiles> allReduceTilesOf(const Instruction& fusion) {
  if (fusion.opcode() != Opcode::Fusion) return std::nullopt;
  for (const Instruction* instruction : fusion.get<Attr::Calls>()->instructions()) {
    if (instruction->opcode() != Opcode::AllReduce) continue;
    const auto kernel = allReduceKernel(*instruction);
    if (!kernel || !std::ranges::equal(instruction->shape().dimensions(), fusion.shape().dimensions()))
      return std::nullopt;
    AllReduceTiles tiles = allReduceTiles(*kernel);
    const Shape array = instruction->operand(0)->shape();
    if (kernel->isTwoShot && !partsOfTile(tiles.sizes, array, kernel->ranks)) return std::nullopt;
    return tiles;
  }
  return std::nullopt;
}

}  // namespace hilo
