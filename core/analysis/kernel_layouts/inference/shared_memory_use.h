// What of shared memory a kernel's arrays take at which of its operations.
#pragma once

#include "core/analysis/kernel_layouts/inference/kernel_description.h"

namespace hilo::inference {

// Of one thread block of sm_90 and sm_100.
inline constexpr int64_t kMostSharedBytes = 227 * 1024;

// Steps are operations in the order of the text, counted from 0. An array that a loop uses lives as long as
// the loop goes round: the next turn may want what this one left.
struct SharedArrayUse {
  ValueId value = 0;  // what slice_smem gives
  int64_t offset = 0, bytes = 0;
  OpId first = 0, last = 0;  // what uses it first and last, or a loop around that
};

// From this step on so many bytes are some living array's; those of two arrays in one place count once.
struct SharedMemoryChange {
  OpId op = 0;
  int64_t bytes = 0;
};

struct SharedMemoryUse {
  std::vector<SharedArrayUse> arrays;  // by their first use, then by place
  std::vector<SharedMemoryChange> changes;
  int64_t peakBytes = 0;
  OpId peakAt = 0;         // the first step of that many
  int64_t reachBytes = 0;  // the end of the last array: what a launch has to give
};

// Of arrays whose sizes are known; of others the bytes are 0.
SharedMemoryUse sharedMemoryUse(const KernelDescription& kernel);

}  // namespace hilo::inference
