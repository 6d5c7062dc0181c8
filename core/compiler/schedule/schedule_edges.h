// The dependencies of a computation's instructions that an order must keep.
#pragma once

#include <functional>

#include "core/compiler/schedule/schedule_graph.h"

namespace hilo {

// Calls `add(from, to, latency)` for each use and control dependency, and for what XLA adds: whoever else
// touches the buffer a done gives out stays clear of the time between start and done; a send-done that
// waits for a recv-done stays before the loops that do; top-down, the recv of a send that came after a loop
// stays behind it. Returns how many nodes were looked at to tell whether one already follows from another.
size_t findScheduleEdges(const ScheduleGraph& graph, const LatencyEstimator& estimator,
                         const AliasAnalysis& alias, bool topDown,
                         const std::function<void(NodeIndex, NodeIndex, double)>& add);

}  // namespace hilo
