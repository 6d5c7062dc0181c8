// One value followed through a module, a step at a time: into tuples and out of them, into computations that
// loops, branches, calls and asynchronous operations run, and back to who called. Passes that move values to
// the host all walk by these steps; what they do at each is theirs. As the steps of XLA's
// service/host_offload_utils.cc, but for three: each step says which operand it went through, a loop's value
// comes from its initial value as well as from its body, and the input and output of an async-start have
// positions of their own.
#pragma once

#include <vector>

#include "core/analysis/call_graph.h"
#include "core/analysis/dataflow/shape_index.h"

namespace hilo {

// The part of an instruction's result at `index`.
struct ValuePosition {
  Instruction* instruction = nullptr;
  ShapeIndex index;

  Shape shape() const;
  // "%while at {1}", for messages.
  std::string text() const;
  friend bool operator==(const ValuePosition&, const ValuePosition&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ValuePosition& p) {
    return H::combine(std::move(h), p.instruction, p.index);
  }
};

// Where a value at a position came from: operand `operand` of `user`, or, without a user, the root of the
// computation it is in.
struct ValueSource {
  ValuePosition from;
  Instruction* user = nullptr;
  size_t operand = 0;
  // From now on the user takes `value`, or the computation gives it; it stands where `from` does.
  void replaceBy(Instruction* value) const;
};

class ValueWalk {
 public:
  // Instructions may come and go after this; computations and calls of them may not. Error kinds are those
  // of CallGraph::build.
  static Result<ValueWalk> build(Module& module);

  // Where the value goes from here. What computes with it has it at the position of its whole result; a
  // custom call that does not write in place passes nothing on. A loop that a value comes out of is one step,
  // and so is the parameter, not the call, that it goes into.
  std::vector<ValuePosition> next(const ValuePosition& at) const;
  // Where it came from; empty where it was made: by a computation, as a constant, as the entry's parameter.
  std::vector<ValueSource> previous(const ValuePosition& at) const;
  // Instructions that run the computation.
  std::vector<Instruction*> callers(const Computation& computation) const;

 private:
  ValueWalk(Module& module, CallGraph graph) : module_(&module), graph_(std::move(graph)) {}
  void addUses(const ValuePosition& at, Instruction& user, std::vector<ValuePosition>& to) const;
  void addCallers(const ValuePosition& at, std::vector<ValuePosition>& to) const;
  std::vector<ValueSource> sourcesOfParameter(const ValuePosition& at) const;

  Module* module_;
  CallGraph graph_;
};

// Passes values on and computes nothing, or does so out of sight: what an array on the host may go through.
bool passesOn(const Instruction& i);

}  // namespace hilo
