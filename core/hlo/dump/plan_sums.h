// Sums over a buffer assignment as it was written, without its module: what a heap's trace says of the most
// that is allocated at once, and bytes by kind. Match ComputePeakMemory, ComputeTotalAllocationBytes and
// ComputeIndefiniteAllocationsInBytes of XLA's service/buffer_assignment.cc.
#pragma once

#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

struct PeakBytes {
  int64_t padded = 0;    // as allocated
  int64_t unpadded = 0;  // elements alone; what the module does not have counts as allocated
  friend bool operator==(const PeakBytes&, const PeakBytes&) = default;
};
// What parameters, constants and results take, each allocation by its largest value, and on top of them the
// most the traces' events hold at once. Values that share are counted once, until the last of them is freed.
// `module` gives the unpadded sizes; may be nullptr.
PeakBytes peakBytes(const BufferAssignment& plan, const Module* module = nullptr);

// Bytes of a value's elements alone, in the order of plan.buffers; -1 for what the module does not have.
std::vector<int64_t> unpaddedBytes(const BufferAssignment& plan, const Module& module);

int64_t allocatedBytes(const BufferAssignment& plan, int64_t color);
// Of allocations that are there as long as the program: parameters, constants, results, thread-local ones.
int64_t indefiniteBytes(const BufferAssignment& plan, int64_t color);

}  // namespace hilo
