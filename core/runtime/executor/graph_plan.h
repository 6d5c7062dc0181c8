// Which thunks of a sequence are given to a device as one graph: the longest runs of those that can be, in the order
// listed, and of the others why not. After XLA's command_buffer_conversion_pass, in whose words these are the
// classes FUSION (kernels, copies), WHILE and CONDITIONAL.
#pragma once

#include <string>
#include <vector>

#include "core/runtime/program/program.h"
#include "core/runtime/thunk/custom_calls.h"

namespace hilo {

struct GraphRules {
  uint32_t leastThunks = 5;  // XLA's xla_gpu_graph_min_graph_size
  std::string whyNoLoops;    // Device::whyNoLoopsInGraphs
  const CustomCalls* customCalls = nullptr;  // those of the program, where they are known
};

// Thunks [begin, end) of the sequence.
struct GraphRange {
  uint32_t begin = 0, end = 0;
  friend bool operator==(const GraphRange&, const GraphRange&) = default;
};

struct GraphPlan {
  std::vector<GraphRange> graphs;  // in order
  std::vector<std::string> why;    // by thunk: why it is in none; "" of those in one
};

// Why the thunk cannot be in a graph: "" where it can. A loop and a choice can where all that they run can.
std::string whyNotInGraph(const Program& program, const Thunk& thunk, const GraphRules& rules);

GraphPlan planGraphs(const Program& program, uint32_t sequence, const GraphRules& rules);

}  // namespace hilo
