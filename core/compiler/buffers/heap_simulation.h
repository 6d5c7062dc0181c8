// Plays a module's sequence: values come and go, values of one buffer share a place, and a value may take
// over the place of an operand that nobody needs any more. What comes out are the blocks a heap has to hold.
// Matches HeapSimulator::RunComputation of XLA's service/heap_simulator/heap_simulator.cc.
#pragma once

#include <functional>

#include "core/analysis/dataflow/value_live_ranges.h"
#include "core/compiler/buffers/best_fit_heap.h"
#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

struct SimulatedHeap {
  std::vector<HeapBlock> blocks;             // times count events, not steps
  std::vector<std::vector<ValueId>> values;  // by block; parallel to its times
  HeapTrace trace;
  // What was live when most was: one value a block.
  std::vector<ValueId> peakValues;
  int64_t peakBytes = 0;
};

struct SimulationOptions {
  bool shareOperands = true;
};

// `sizeOf` gives the bytes a buffer needs, by its id: the most any of its values does. Only `values` are
// played; each must have a live range.
SimulatedHeap simulateHeap(const ValueLiveRanges& ranges, std::span<const ValueId> values,
                           const std::function<int64_t(BufferId)>& sizeOf, const SimulationOptions& options);

}  // namespace hilo
