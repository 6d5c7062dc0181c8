// How many bytes are live at each step of a module's sequence, with no fragmentation: the least a heap could
// be. Matches HeapSimulator::MinimumMemoryForModule of XLA's service/heap_simulator/heap_simulator.cc.
#pragma once

#include <functional>

#include "core/analysis/dataflow/value_live_ranges.h"

namespace hilo {

struct MemoryUsage {
  int64_t peakBytes = 0;
  int64_t peakTime = 0;            // the first step with that much
  std::vector<int64_t> liveBytes;  // while each step of the sequence runs
};
// An operand that ends where a result may take over its place is not counted twice. Constants are not
// counted. `shapeBytes` null: arrays as they are, tuples as tables of pointers, and nothing of the device's
// memory for what lies on the host.
MemoryUsage memoryUsage(const ValueLiveRanges& ranges,
                        const std::function<int64_t(Shape)>& shapeBytes = nullptr);

}  // namespace hilo
