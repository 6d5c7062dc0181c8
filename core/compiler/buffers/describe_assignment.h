// A finished plan as the tables that others read: names, shapes and ranges beside the numbers.
#pragma once

#include <vector>

#include "core/analysis/dataflow/value_live_ranges.h"
#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

// What the assigner decided.
struct PlacedBuffers {
  std::vector<BufferAllocation> allocations;
  std::vector<int64_t> colors;              // memory spaces, by buffer id
  std::vector<std::vector<int64_t>> peaks;  // by allocation: ids of the values in use where it is fullest
  std::vector<HeapTrace> heapTraces;
};

BufferAssignment describeAssignment(const ValueLiveRanges& ranges, PlacedBuffers placed,
                                    int64_t pointerBytes);

// What an allocation says of the entry parameter, or the part of one, that lies in it.
void describeParameter(BufferAllocation& facts, const Instruction& parameter, const ShapeIndex& index);

}  // namespace hilo
