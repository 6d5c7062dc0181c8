#include "core/compiler/passes/memory/loop_schedule_linearizer.h"

#include <algorithm>

#include "core/analysis/async_op.h"
#include "core/analysis/dataflow/alias_analysis.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

bool communicatesMeanwhile(const Computation& body) {
  return std::ranges::any_of(body.instructions(), [](const Instruction* i) {
    const CanonicalAsyncOp op = canonicalAsyncOp(*i, /*p2pIsAsync=*/true);
    return op.role != AsyncRole::None;
  });
}

// (reader, writer) of each element of what the loop carries.
using ReadAndWrite = std::pair<const Instruction*, const Instruction*>;

std::vector<ReadAndWrite> orderedPairs(const Computation& body, const DataflowAnalysis& dataflow) {
  std::vector<ReadAndWrite> pairs;
  const Instruction &root = *body.root(), &input = *body.parameters()[0];
  for (const ValueId id : dataflow.flattenedValues(input)) {
    const HloValue& carried = dataflow.value(id);
    if (carried.shape.isTuple() || &carried.instruction() != &input) continue;
    const HloValue& next = dataflow.uniqueValueAt(root, carried.index());
    if (next.id == carried.id || next.shape.isTuple()) continue;
    const Instruction& write = next.instruction();
    for (const HloUse& use : carried.uses) {
      if (use.instruction != &write && &use.instruction->parent() == &body && &write.parent() == &body)
        pairs.emplace_back(use.instruction, &write);
    }
  }
  return pairs;
}

// Not where the reader waits for the writer, or the order is kept already.
bool needsOrder(const ReadAndWrite& pair) {
  const auto before = pair.second->get<Attr::ControlPredecessors>();
  return std::ranges::find(before, pair.first) == before.end() && !waitsFor(*pair.first, *pair.second);
}

}  // namespace

Result<bool> linearizeLoopSchedules(Module& module, PassContext& context) {
  std::vector<Instruction*> loops;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::While && !communicatesMeanwhile(*i->get<Attr::Body>())) loops.push_back(i);
    }
  }
  if (loops.empty()) return false;
  TRY(const AliasAnalysis alias, AliasAnalysis::run(module, Backend::Gpu));
  bool changed = false;
  for (Instruction* loop : loops) {
    if (context.cancelled()) return changed;
    Computation& body = *loop->get<Attr::Body>();
    int added = 0;
    for (const ReadAndWrite& pair : orderedPairs(body, alias.dataflow())) {
      if (!needsOrder(pair)) continue;
      if (!context.mayChange(*pair.second)) break;
      addControlPredecessor(*module.instruction(pair.second->id()), *module.instruction(pair.first->id()));
      ++added;
    }
    if (added == 0) continue;
    body.reorder(postOrder(body));
    context.remark(*loop, "ordered", fmt::format("{} reads before writes of what it carries", added));
    changed = true;
  }
  return changed;
}

}  // namespace hilo
