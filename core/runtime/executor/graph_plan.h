// Which thunks of a program are given to a device as one graph: the longest runs of those that can be, in the
// order listed, and of the others why not. After XLA's command_buffer_conversion_pass, in whose words these
// are the classes FUSION (kernels, copies), WHILE and CONDITIONAL; here a loop counts as all that it runs.
#pragma once

#include <string>
#include <vector>

#include "core/runtime/program/program.h"
#include "core/runtime/thunk/custom_calls.h"

namespace hilo {

struct GraphRules {
  uint32_t leastThunks = 5;                  // XLA's xla_gpu_graph_min_graph_size
  std::string whyNoLoops;                    // Device::whyNoLoopsInGraphs
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

// A loop and a choice can be in a graph where all that they run can, and that is not too much: a graph holds
// a copy of it.
inline constexpr uint32_t kMostGraphThunks = 100'000;

// By sequence.
std::vector<GraphPlan> planGraphs(const Program& program, const GraphRules& rules);

}  // namespace hilo
