// Which of two instructions runs first, wherever in the module they are. In a scheduled module the order of
// the computation's list; else what operands and control predecessors force. Between computations the calls
// that lead to them decide. Matches XLA's hlo/analysis/hlo_ordering.cc.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "core/analysis/call_graph.h"

namespace hilo {

enum class ExecutionConstraint : uint8_t {
  Same,
  BeforeStart,      // a is over when b starts
  BeforeEnd,        // a is over when b ends: it runs within b
  ExclusiveBefore,  // one of both runs: branches of a conditional, a's first
  ExclusiveAfter,
  After,  // a starts when b is over, or b runs within a
  Unordered,
};

// Of the module as it was when this was made: edges and instructions that come or go later are not seen.
// For one thread.
class ExecutionOrder {
 public:
  // `callGraph` must outlive this.
  ExecutionOrder(const Module& module, const CallGraph& callGraph)
      : ExecutionOrder(module, callGraph, module.isScheduled()) {}
  // Not `sequential`: what operands and control predecessors force, in a scheduled module too.
  ExecutionOrder(const Module& module, const CallGraph& callGraph, bool sequential);

  ExecutionConstraint between(const Instruction& a, const Instruction& b);
  bool executesBefore(const Instruction& a, const Instruction& b);
  // True when `instruction` is in `computation` or in one it calls at any depth.
  bool isNestedIn(const Instruction& instruction, const Computation& computation) const;
  const CallGraph& callGraph() const { return callGraph_; }

 private:
  // What stands in front of an instruction, by position in its computation's list.
  struct Edges {
    std::vector<uint32_t> first;  // into `before`; one more than there are instructions
    std::vector<uint32_t> before;
  };
  bool before(const Instruction& a, const Instruction& b);
  const std::vector<uint64_t>& ancestors(const Instruction& instruction);
  const Instruction* caller(const Computation& computation) const;
  std::pair<const Instruction*, const Instruction*> inSameComputation(const Instruction& a,
                                                                      const Instruction& b) const;

  const CallGraph& callGraph_;
  bool sequential_;
  std::vector<uint32_t> position_;  // in its computation's list, by instruction id
  std::vector<Edges> edges_;        // by computation id
  // Of what was asked about: one bit for each instruction of the computation that must run before it.
  absl::flat_hash_map<const Instruction*, std::vector<uint64_t>> ancestors_;
};

}  // namespace hilo
