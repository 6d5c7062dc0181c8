#include "core/analysis/call_graph.h"

#include "core/hlo/ir/op_facts.h"

#include <ranges>

namespace hilo {
namespace {

CallContext unite(CallContext a, CallContext b) {
  if (a == CallContext::None || a == b) return b;
  return b == CallContext::None ? a : CallContext::Both;
}

// Depth-first over the calls, called computations first. The depth bound keeps the recursion small.
class PostOrder {
 public:
  explicit PostOrder(std::vector<Computation*>& order) : order_(order) {}

  Status visit(Computation& computation, uint32_t depth) {
    if (done_.contains(&computation)) return {};
    if (depth > CallGraph::kMaxDepth) {
      return fail("call-too-deep", fmt::format("calls are nested more than {} deep", CallGraph::kMaxDepth),
                  {.computation = std::string(computation.name())});
    }
    if (!open_.insert(&computation).second) {
      return fail("recursive-call", fmt::format("computation '{}' calls itself", computation.name()),
                  {.computation = std::string(computation.name())});
    }
    for (const Instruction* instruction : computation.instructions()) {
      for (Computation* called : instruction->calledComputations()) TRY_STATUS(visit(*called, depth + 1));
    }
    open_.erase(&computation);
    done_.insert(&computation);
    order_.push_back(&computation);
    return {};
  }

 private:
  std::vector<Computation*>& order_;
  absl::flat_hash_set<const Computation*> done_, open_;
};

}  // namespace

CallContext callContextOf(Opcode opcode) {
  return hasFact(opcode, OpFact::Calls) ? CallContext::ControlFlow : CallContext::Embedded;
}

bool runsWhatItCalls(Opcode opcode) {
  return callContextOf(opcode) == CallContext::ControlFlow && opcode != Opcode::AsyncUpdate &&
         opcode != Opcode::AsyncDone;
}

Result<CallGraph> CallGraph::build(const Module& module) {
  CallGraph graph;
  PostOrder order(graph.postOrder_);
  uint32_t limit = 0;
  for (Computation* computation : module.computations()) {
    TRY_STATUS(order.visit(*computation, 0));
    limit = std::max(limit, computation->id().value + 1);
  }
  graph.nodes_.resize(limit);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : instruction->calledComputations()) {
        auto& callers = graph.nodes_[called->id().value].callers;
        if (callers.empty() || callers.back() != instruction) callers.push_back(instruction);
      }
    }
  }
  for (const Computation* computation : graph.postOrder_ | std::views::reverse) {
    Node& node = graph.nodes_[computation->id().value];
    if (node.callers.empty()) node.context = CallContext::ControlFlow;
    for (const Instruction* caller : node.callers) {
      const Node& above = graph.node(caller->parent());
      const CallContext way = callContextOf(caller->opcode());
      node.context = unite(node.context, way == CallContext::Embedded ? way : above.context);
      node.depth = std::max(node.depth, above.depth + 1);
    }
  }
  return graph;
}

bool CallGraph::runsInstructions(const Computation& computation) const {
  const Node& found = node(computation);
  return found.context == CallContext::ControlFlow &&
         std::ranges::none_of(
             found.callers, [](const Instruction* caller) { return caller->opcode() == Opcode::AsyncStart; });
}

bool CallGraph::reaches(const Computation& a, const Computation& b) const {
  std::vector<const Computation*> pending = {&b};
  absl::flat_hash_set<const Computation*> seen;
  while (!pending.empty()) {
    const Computation* at = pending.back();
    pending.pop_back();
    if (at == &a) return true;
    if (!seen.insert(at).second) continue;
    for (const Instruction* caller : node(*at).callers) pending.push_back(&caller->parent());
  }
  return false;
}

bool CallGraph::isFlat() const {
  return std::ranges::all_of(nodes_, [](const Node& node) {
    if (node.context == CallContext::Both) return false;
    if (node.context != CallContext::ControlFlow) return true;
    const auto runs = [](const Instruction* caller) { return runsWhatItCalls(caller->opcode()); };
    return std::ranges::count_if(node.callers, runs) <= 1;
  });
}

Status CallGraph::requireFlat() const {
  if (isFlat()) return {};
  return fail("call-graph-not-flat", "a computation is called from several places", {},
              {"the pass flatten-call-graph gives each caller its own copy"});
}

}  // namespace hilo
