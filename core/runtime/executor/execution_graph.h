// The order in which the thunks of one sequence may run, from the buffers each one uses: a thunk comes after
// every earlier one that writes what it uses, or uses what it writes; and thunks whose order others can tell
// (collectives of one communicator) come one after the other. Edges that others imply are left out. The rule
// is that of XLA's runtime/execution_graph.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/runtime/program/program.h"

namespace hilo {

struct ExecutionGraph {
  struct Node {
    std::vector<uint32_t> successors;
    uint32_t predecessors = 0;
  };
  std::vector<Node> nodes;  // as the thunks of the sequence
  // The most thunks at one depth: 1 says the thunks are a chain.
  uint32_t width = 0;
  // The edges that no buffer asks for: between thunks that keep their order (mustKeepOrder). Sorted.
  std::vector<std::pair<uint32_t, uint32_t>> schedulingEdges;
  int64_t edgeCount() const;
};

// Of steps that use these bytes, in order. `communicators`: of each step the numbers of those it takes part
// in; steps of one communicator begin one after the other, of two in any order.
ExecutionGraph makeExecutionGraph(std::span<const std::vector<BufferUse>> uses,
                                  std::span<const std::vector<uint32_t>> communicators);
ExecutionGraph makeExecutionGraph(const Program& program, uint32_t sequence);

// Every pair of thunks of a sequence that use the same bytes, one of them writing, and that `graph` does not
// order. Empty for a graph made by makeExecutionGraph: the check for graphs from elsewhere and for our own
// mistakes. Quadratic in the number of thunks. Kind "data-race".
Diagnostics findRaces(const Program& program, uint32_t sequence, const ExecutionGraph& graph);

}  // namespace hilo
