// Thunks as the nodes of a device's graph.
#pragma once

#include <functional>

#include "core/runtime/device/device_graph.h"
#include "core/runtime/executor/graph_plan.h"

namespace hilo {

// What nodes are made of, of one run.
struct WorkGraphSource {
  const Program& program;
  std::span<const std::unique_ptr<DeviceKernel>> kernels;
  std::span<const DeviceAddress> bases;                // of allocations
  std::function<WorkNote(const Thunk& thunk)> noteOf;  // null: nobody looks
};

// Those of the range, which can all be in a graph. Edges are what makeExecutionGraph gives. Error: a kernel
// that no grid can be launched for.
Result<WorkGraph> makeWorkGraph(const WorkGraphSource& source, uint32_t sequence, GraphRange range);

}  // namespace hilo
