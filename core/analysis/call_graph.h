// Which computations call which, and how. Built once over a module; plain data after that, any thread may
// read it while the module is not changed. Matches XLA's service/call_graph.cc.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Control flow: values flow in and out (call, while, conditional, asynchronous wrappers). Embedded: the
// computation is applied to elements, or fused; its parameters are its own.
enum class CallContext : uint8_t { None, ControlFlow, Embedded, Both };
CallContext callContextOf(Opcode opcode);
// Control flow that begins here: not the later links of an asynchronous chain, which name what
// its start runs.
bool runsWhatItCalls(Opcode opcode);

class CallGraph {
 public:
  struct Node {
    std::vector<const Instruction*> callers;  // instructions that name this computation, each once
    CallContext context = CallContext::None;  // of all ways in together
    uint32_t depth = 0;                       // longest way down from a computation that nothing calls
  };

  // Error kinds: "recursive-call", "call-too-deep" (more than kMaxDepth levels): what the verifier rejects.
  static Result<CallGraph> build(const Module& module);
  static constexpr uint32_t kMaxDepth = 200;

  const Node& node(const Computation& computation) const { return nodes_[computation.id().value]; }
  // Called before caller, every computation of the module.
  std::span<Computation* const> postOrder() const { return postOrder_; }
  // True when its instructions run one by one: it is nowhere applied to elements or fused, nor is it the work
  // of an asynchronous operation. What a pass may split, fuse or lay out anew.
  bool runsInstructions(const Computation& computation) const;
  // True when `a` calls `b` at some depth, or is `b`.
  bool reaches(const Computation& a, const Computation& b) const;
  // No computation but the embedded ones has two callers, and none is called both ways. What dataflow through
  // while and conditional, and live ranges over a whole module, stand on.
  bool isFlat() const;
  // Error kind "call-graph-not-flat", with the pass that helps.
  Status requireFlat() const;

 private:
  std::vector<Node> nodes_;  // by computation id
  std::vector<Computation*> postOrder_;
};

}  // namespace hilo
