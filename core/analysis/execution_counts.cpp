#include "core/analysis/execution_counts.h"

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/analysis/saturating.h"
#include "core/analysis/while_loop.h"

namespace hilo {
namespace {

// Callers before what they call. Broken modules may call in circles: each computation is entered once.
void visit(const Computation& computation, std::vector<bool>& seen, std::vector<const Computation*>& order) {
  struct Frame {
    const Computation* computation;
    std::vector<const Computation*> called;
    size_t next = 0;
  };
  const auto enter = [](const Computation* c) {
    Frame frame{c, {}, 0};
    for (const Instruction* i : c->instructions()) {
      if (!runsWhatItCalls(i->opcode())) continue;
      for (const Computation* called : i->calledComputations()) frame.called.push_back(called);
    }
    return frame;
  };
  std::vector<Frame> stack = {enter(&computation)};
  seen[computation.id().value] = true;
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.called.size()) {
      order.push_back(top.computation);
      stack.pop_back();
      continue;
    }
    const Computation* called = top.called[top.next++];
    if (seen[called->id().value]) continue;
    seen[called->id().value] = true;
    stack.push_back(enter(called));
  }
  std::ranges::reverse(order);
}

}  // namespace

std::vector<int64_t> executionCounts(const Module& module) {
  size_t limit = 0;
  for (const Computation* c : module.computations()) limit = std::max<size_t>(limit, c->id().value + 1);
  std::vector<int64_t> counts(limit, 0);
  if (module.entry() == nullptr) return counts;
  std::vector<bool> seen(limit, false);
  std::vector<const Computation*> order;
  visit(*module.entry(), seen, order);
  counts[module.entry()->id().value] = 1;
  for (const Computation* c : order) {
    for (const Instruction* i : c->instructions()) {
      if (!runsWhatItCalls(i->opcode())) continue;
      const int64_t trips =
          i->opcode() == Opcode::While ? std::max<int64_t>(1, tripCount(*i).value_or(1)) : 1;
      for (const Computation* called : i->calledComputations()) {
        int64_t& count = counts[called->id().value];
        count = saturatingAdd(count, saturatingMultiply(counts[c->id().value], trips));
      }
    }
  }
  return counts;
}

}  // namespace hilo
