#include "core/compiler/passes/collectives/schedule_linearizer.h"

#include "core/analysis/async_op.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

bool begins(const Instruction& i) {
  return startsCollective(i.opcode()) ||
         (i.opcode() == Opcode::AsyncStart && startsCollective(asyncOperation(i).opcode()));
}

// What ends the collective that `start` begins: the last step of its chain, or itself.
Instruction* endOf(Instruction* start) {
  while (asyncFacts(start->opcode()).step != AsyncStep::Whole &&
         asyncFacts(start->opcode()).step != AsyncStep::Done && start->users().size() == 1)
    start = start->users()[0];
  return start;
}

bool linearize(Computation& computation, PassContext& context) {
  Instruction* previous = nullptr;
  bool changed = false;
  for (Instruction* start : postOrder(computation)) {
    if (!begins(*start)) continue;
    if (previous != nullptr && !waitsFor(*start, *previous) && !waitsFor(*previous, *start)) {
      if (!context.mayChange(*start)) break;
      addControlPredecessor(*start, *previous);
      context.remark(*start, "ordered", fmt::format("behind %{}", previous->name()));
      changed = true;
    }
    previous = endOf(start);
  }
  if (changed) computation.reorder(postOrder(computation));
  return changed;
}

}  // namespace

Result<bool> linearizeCollectives(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (context.cancelled()) return changed;
    changed |= linearize(*computation, context);
  }
  return changed;
}

}  // namespace hilo
