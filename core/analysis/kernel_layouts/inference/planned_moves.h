// Copies between registers and shared memory that the layouts of a kernel lead to, and the bank conflicts
// that each of them costs.
#pragma once

#include "core/analysis/kernel_layouts/bank_conflicts.h"
#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"

namespace hilo::inference {

struct PlannedMove {
  OpId op = 0;
  LayoutConstant registers;
  SharedTransforms memory;
  // How often shared memory is asked by the whole warpgroup, and how often without conflicts; every lane
  // moves the same register at a time.
  int64_t wavefronts = 0;
  int64_t least = 0;
  // Empty, or why they are not counted.
  std::string notCounted;
};

// By operation, of loads and stores whose memory is shared. The layouts are found.
std::vector<PlannedMove> plannedMoves(const KernelLayouts& layouts);

// An array in shared memory as it lies there: its strides' order first, then tile and swizzle.
SharedLayout inMemory(const SharedArray& array, const SharedTransforms& transforms);

}  // namespace hilo::inference
