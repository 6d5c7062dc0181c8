// An all-reduce that a tile program does itself, ranks reading what the others wrote, as XLA's
// gpu/codegen/triton/collective_emitter.cc does it. Which of them it takes, and how:
// gpu/runtime/all_reduce.cc.
//
// One shot: each rank reads a tile of all ranks and combines them. Two shots: each combines one part of each
// tile, as many parts as there are ranks, and reads the others' parts when these are done.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

// The most bytes of one shot, and of two; the most ranks.
inline constexpr int64_t kMostOneShotBytes = 256 << 10, kMostTwoShotBytes = 4 << 20, kMostRanks = 8;

struct AllReduceKernel {
  const Instruction* instruction = nullptr;
  int64_t ranks = 1;
  bool isTwoShot = false;
};

// Error kind "not-a-tile-program": of several arrays, of a type or a computation that XLA has no kernel for,
// of groups that are not written or not alike, of more bytes or ranks.
Result<AllReduceKernel> allReduceKernel(const Instruction& instruction);

// How many parts of the tile there are along each dimension, major ones cut first; all together one a rank.
// nullopt: they do not divide its elements.
std::optional<std::vector<int64_t>> partsOfTile(const std::vector<int64_t>& sizes, Shape array,
                                                int64_t ranks);

}  // namespace hilo
