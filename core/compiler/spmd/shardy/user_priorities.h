// The rounds that a program asks for by priorities of dimensions: {"a"}p1 takes part from round 1 on. Until
// then the dimension is closed and empty, and its axes are replicated: nothing else of the array takes them.
#pragma once

#include "core/compiler/spmd/shardy/value_graph.h"

namespace hilo::sdy {

class UserPriorities {
 public:
  // Takes all dimensions of later rounds out of the graph.
  explicit UserPriorities(ValueGraph& graph);
  // 0 and all that the program uses, ascending.
  const std::vector<int64_t>& all() const { return all_; }
  // Puts the dimensions of a round back as the program has them.
  void open(ValueGraph& graph, int64_t priority) const;

 private:
  // Places with a dimension of a later round, and what the program says there.
  std::vector<std::pair<ValueId, TensorSharding>> held_;
  std::vector<int64_t> all_;
};

}  // namespace hilo::sdy
