#include "core/compiler/schedule/memory_scheduler.h"

#include "core/analysis/backend.h"
#include "core/analysis/post_order_walk.h"
#include "core/analysis/saturating.h"
#include "core/analysis/schedule/memory_usage.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/base/check.h"
#include "core/base/enum_table.h"
#include "core/compiler/schedule/list_scheduler.h"

namespace hilo {
namespace {

constexpr int64_t kPointerBytes = 8;

// What the depth-first order looks at, of an instruction and all that leads to it.
struct Weight {
  int64_t extraUsers = 0;
  int64_t bytes = 0;
};

// By place among `ids`, which are the computation's.
std::vector<Weight> weigh(const Computation& computation, const IdRange& ids,
                          const DataflowAnalysis& dataflow) {
  std::vector<Weight> weights(ids.size());
  const auto count = static_cast<int64_t>(computation.instructionCount());
  int64_t allBytes = 0;
  for (const Instruction* instruction : postOrder(computation)) {
    if (instruction->opcode() == Opcode::Parameter || instruction->opcode() == Opcode::Constant) continue;
    Weight weight{.extraUsers = std::max<int64_t>(0, static_cast<int64_t>(instruction->users().size()) - 1)};
    for (const ValueId value : dataflow.flattenedValues(*instruction)) {
      if (&dataflow.value(value).instruction() == instruction)
        weight.bytes = saturatingAdd(weight.bytes, bufferBytes(dataflow.value(value).shape, kPointerBytes));
    }
    allBytes = saturatingAdd(allBytes, weight.bytes);
    absl::flat_hash_set<const Instruction*> seen;
    for (const Instruction* operand : instruction->operands()) {
      if (!seen.insert(operand).second) continue;
      weight.extraUsers =
          saturatingAdd(weight.extraUsers, weights[operand->id().value - ids.first].extraUsers);
      weight.bytes = saturatingAdd(weight.bytes, weights[operand->id().value - ids.first].bytes);
    }
    // Ways that meet again count twice: neither sum may pass what there is.
    weights[instruction->id().value - ids.first] = {std::min(weight.extraUsers, count),
                                                    std::min(weight.bytes, allBytes)};
  }
  return weights;
}

std::vector<Instruction*> depthFirstOrder(const Computation& computation, const AliasAnalysis& alias) {
  const IdRange ids = idsOf(computation);
  const auto weights = weigh(computation, ids, alias.dataflow());
  const auto isEarlier = [&](const Instruction* a, const Instruction* b) {
    const Weight &x = weights[a->id().value - ids.first], &y = weights[b->id().value - ids.first];
    if (x.extraUsers != y.extraUsers) return x.extraUsers > y.extraUsers;
    if (x.bytes != y.bytes) return x.bytes > y.bytes;
    return a->name() < b->name();
  };
  PostOrderWalk<Instruction> walk(ids);
  const auto needs = [&](const Instruction* at, std::vector<Instruction*>& needed) {
    needed.assign(at->operands().begin(), at->operands().end());
    for (Instruction* predecessor : at->get<Attr::ControlPredecessors>()) needed.push_back(predecessor);
    std::ranges::sort(needed, isEarlier);
  };
  const auto isRootOfNothing = [](const Instruction* i) { return i->users().empty() && !i->isRoot(); };
  for (Instruction* instruction : computation.instructions()) {
    if (isRootOfNothing(instruction)) walk.visit(instruction, needs);
  }
  for (Instruction* instruction : computation.instructions()) {
    if (instruction->isRoot()) walk.visit(instruction, needs);
  }
  for (Instruction* instruction : computation.instructions()) walk.visit(instruction, needs);
  return walk.takeOrder();
}

using Orders = std::vector<std::pair<Computation*, std::vector<Instruction*>>>;

bool isFused(const Computation& computation, const CallGraph& graph) {
  return std::ranges::any_of(graph.node(computation).callers,
                             [](const Instruction* caller) { return caller->opcode() == Opcode::Fusion; });
}

bool apply(const Orders& orders) {
  bool changed = false;
  for (const auto& [computation, order] : orders) {
    const auto now = computation->instructions();
    changed |= !std::ranges::equal(order, std::vector<Instruction*>(now.begin(), now.end()));
    computation->reorder(order);
  }
  return changed;
}

}  // namespace

std::string_view memorySchedulerName(MemorySchedulerKind kind) {
  static constexpr EnumTable<MemorySchedulerKind, std::string_view> kNames(
      {"list", "depth-first", "post-order", "best"});
  return kNames[kind];
}

std::vector<Instruction*> memoryOrder(const Computation& computation, const AliasAnalysis& alias,
                                      MemorySchedulerKind kind) {
  switch (kind) {
    case MemorySchedulerKind::List:
      return listOrder(computation, alias.dataflow());
    case MemorySchedulerKind::DepthFirst:
      return depthFirstOrder(computation, alias);
    case MemorySchedulerKind::PostOrder:
      return postOrder(computation);
    case MemorySchedulerKind::Best:
      break;
  }
  CHECK(false, "the best order is one of the whole module");
  return {};
}

Result<MemoryScheduleResult> scheduleForMemory(Module& module, MemorySchedulerKind kind,
                                               const CancelToken& cancel) {
  TRY(const AliasAnalysis alias, AliasAnalysis::run(module, backendOf(module)));
  using enum MemorySchedulerKind;
  std::vector<MemorySchedulerKind> kinds = {kind};
  if (kind == Best) kinds = {List, DepthFirst, PostOrder};
  Orders original, best;
  const CallGraph& graph = alias.dataflow().callGraph();
  for (Computation* computation : graph.postOrder()) {
    if (isFused(*computation, graph)) continue;
    const auto now = computation->instructions();
    original.emplace_back(computation, std::vector<Instruction*>(now.begin(), now.end()));
  }
  MemoryScheduleResult result;
  for (const MemorySchedulerKind tried : kinds) {
    if (cancel.cancelled()) {
      apply(original);
      return fail("cancelled", "cancelled");
    }
    Orders orders;
    for (const auto& [computation, order] : original)
      orders.emplace_back(computation, memoryOrder(*computation, alias, tried));
    apply(orders);
    const int64_t peak = memoryUsage(ValueLiveRanges(alias)).peakBytes;
    if (!best.empty() && peak >= result.peakBytes) continue;
    best = std::move(orders);
    result.peakBytes = peak;
    result.chosen = tried;
  }
  apply(original);
  result.changed = apply(best) || !module.isScheduled();
  module.set<Attr::IsScheduled>(true);
  return result;
}

}  // namespace hilo
