// How the thunks of a sequence are given to the streams of a device: in which order, to which stream, and for
// whom each waits there. The order is that of makeExecutionGraph; what runs on the host itself is given as
// late as it can be, so that streams are busy beside it.
#pragma once

#include "core/runtime/executor/execution_graph.h"

namespace hilo {

struct StreamStep {
  uint32_t thunk = 0;
  uint32_t stream = 0;
  // Earlier steps, by their place in the plan, on other streams: each is an event. Those that the order of a
  // stream or other waits imply are left out.
  std::vector<uint32_t> waits;
  bool isWaitedFor = false;
};

struct StreamPlan {
  std::vector<StreamStep> steps;  // each thunk once
  uint32_t streams = 1;           // that are used
};

// Whether the thunk is done by the host, which waits for what comes before it on its stream: all
// but kernels and copies.
bool isHostStep(const Thunk& thunk);

StreamPlan makeStreamPlan(const Program& program, uint32_t sequence, uint32_t mostStreams);
// All on one stream, in the order listed.
StreamPlan planInOrder(const ThunkSequence& thunks);

}  // namespace hilo
