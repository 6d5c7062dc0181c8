// How XLA cuts an all-reduce that one kernel does: as many blocks as the kernel is launched with, each one
// tile of a power of two of each dimension (gpu/codegen/triton/collective_emitter.cc,
// gpu/runtime/all_reduce.cc).
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/tile_program/all_reduce_kernel.h"

namespace hilo {

struct AllReduceTiles {
  int64_t blocks = 1, threadsOfBlock = 1;
  std::vector<int64_t> sizes;  // of the array's dimensions
};
AllReduceTiles allReduceTiles(const AllReduceKernel& kernel);

// Of a fusion whose result is its all-reduce's, or has its dimensions; nullopt where there is none that a
// kernel does, or where the ranks of a large one do not divide a tile.
std::optional<AllReduceTiles> allReduceTilesOf(const Instruction& fusion);

// Tiles of powers of two, `most` of them or fewer: the slowest varying dimension is cut first, so that each
// tile lies together in memory.
std::vector<int64_t> powerOfTwoTiles(Shape array, int64_t most);

}  // namespace hilo
