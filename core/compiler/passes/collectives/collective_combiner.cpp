#include "core/compiler/passes/collectives/collective_combiner.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/base/number_text.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/combiner_key.h"
#include "core/compiler/passes/collectives/merged_attributes.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

// Those that another waits for, or that wait for another by a control dependency.
absl::flat_hash_set<const Instruction*> orderedByHand(const Computation& computation) {
  absl::flat_hash_set<const Instruction*> ordered;
  for (const Instruction* i : computation.instructions()) {
    for (const Instruction* before : i->get<Attr::ControlPredecessors>()) ordered.insert({i, before});
  }
  return ordered;
}

absl::flat_hash_set<const Computation*> computationsOfLoops(const Module& module) {
  absl::flat_hash_set<const Computation*> ofLoops;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::While) continue;
      for (const Computation* called : i->calledComputations()) ofLoops.insert(called);
    }
  }
  return ofLoops;
}

// What collective-combiner-annotator found room for. 0 where it said nothing.
int64_t suggestedBytes(const Module& module) {
  for (const FrontendAttribute& attribute : module.get<Attr::FrontendAttributes>()) {
    if (attribute.name == "suggested_combiner_threshold")
      return parseInteger(attribute.value, 64, true).value_or(0);
  }
  return 0;
}

class Combiner {
 public:
  Combiner(Computation& computation, PassContext& context, Opcode opcode, const CombinerLimits& limits,
           const std::function<bool(const Instruction&)>& accepts)
      : computation_(computation), context_(context), opcode_(opcode), limits_(limits), accepts_(accepts) {}

  bool run() {
    const auto isCollective = [&](const Instruction* i) { return i->opcode() == opcode_; };
    if (std::ranges::none_of(computation_.instructions(), isCollective)) return false;
    const auto ordered =
        isReduction() ? orderedByHand(computation_) : absl::flat_hash_set<const Instruction*>();
    std::vector<std::string> keys;  // in order of their first collective
    absl::flat_hash_map<std::string, std::vector<Instruction*>> byKey;
    for (Instruction* instruction : postOrder(computation_)) {
      if (instruction->opcode() != opcode_ || (accepts_ && !accepts_(*instruction))) continue;
      if (ordered.contains(instruction)) continue;
      std::string key = combinerKeyOf(*instruction);
      if (key.empty()) continue;
      auto& list = byKey[key];
      if (list.empty()) keys.push_back(key);
      list.push_back(instruction);
    }
    bool changed = false;
    for (const std::string& key : keys) {
      std::vector<Instruction*>& group = byKey[key];
      if (changed && group.size() > 1) sortAnew(group);
      changed |= combineAll(group);
    }
    if (changed) computation_.reorder(postOrder(computation_));
    return changed;
  }

 private:
  bool isReduction() const { return opcode_ == Opcode::AllReduce || opcode_ == Opcode::ReduceScatter; }

  // What was combined may make one wait for another that stood behind it.
  void sortAnew(std::vector<Instruction*>& group) const {
    absl::flat_hash_map<const Instruction*, size_t> position;
    for (const Instruction* i : postOrder(computation_)) position.emplace(i, position.size());
    std::ranges::sort(group, {}, [&](const Instruction* i) { return position.at(i); });
  }

  bool combineAll(std::vector<Instruction*>& left) {
    std::erase_if(left, [&](Instruction* collective) {
      if (collective->shape().byteSize() <= limits_.bytes) return false;
      context_.remark(*collective, "missed", "larger than what is combined");
      return true;
    });
    bool changed = false;
    while (left.size() > 1) {
      const std::vector<Instruction*> run = takeRun(left);
      if (run.size() < 2 || !context_.mayChange(*run[0])) continue;
      combine(run);
      changed = true;
    }
    return changed;
  }

  // Takes those that fit off the front, up to one that waits for another of them, or but for those.
  std::vector<Instruction*> takeRun(std::vector<Instruction*>& left) {
    std::vector<Instruction*> run, passedOver;
    int64_t bytes = 0;
    auto at = left.begin();
    for (; at != left.end() && static_cast<int64_t>(run.size()) < limits_.count; ++at) {
      bytes = saturatingAdd(bytes, (*at)->shape().byteSize());
      if (bytes > limits_.bytes) break;
      const bool waits = dependsOnAny(*at, run);
      if (waits && !limits_.enzymeComms) break;
      (waits ? passedOver : run).push_back(*at);
      if (waits) bytes -= (*at)->shape().byteSize();
    }
    left.erase(left.begin(), at);
    left.insert(left.begin(), passedOver.begin(), passedOver.end());
    return run;
  }

  // Combined collectives count as their parts: what uses one waits for all.
  bool dependsOnAny(Instruction* collective, const std::vector<Instruction*>& run) {
    if (run.empty()) return false;
    absl::flat_hash_set<const Instruction*> wanted(run.begin(), run.end()), seen;
    std::vector<const Instruction*> stack = {collective};
    while (!stack.empty()) {
      const Instruction* at = stack.back();
      stack.pop_back();
      const auto visit = [&](const Instruction* next) {
        if (seen.insert(next).second) stack.push_back(next);
      };
      if (at != collective && wanted.contains(at)) return true;
      for (const Instruction* operand : at->operands()) visit(operand);
      for (const Instruction* before : at->get<Attr::ControlPredecessors>()) visit(before);
    }
    return false;
  }

  void combine(const std::vector<Instruction*>& run) {
    std::vector<Instruction*> operands;
    std::vector<size_t> places;  // by collective: its operand
    for (Instruction* collective : run) {
      const auto same = std::ranges::find(operands, collective->operand(0));
      const bool isNew = !limits_.enzymeComms || same == operands.end();
      places.push_back(isNew ? operands.size() : static_cast<size_t>(same - operands.begin()));
      if (isNew) operands.push_back(collective->operand(0));
    }
    Instruction* combined = makeCombined(run, operands);
    absl::flat_hash_map<const Instruction*, Instruction*> replacedBy;
    for (size_t i = 0; i < run.size(); ++i) {
      context_.remark(*run[i], "combined",
                      fmt::format("into {} with {} others", combined->name(), run.size() - 1));
      computation_.replaceAllUses(run[i], elementOf(*combined, places[i]));
      replacedBy[run[i]] = combined;
    }
    redirectControlPredecessors(computation_, replacedBy);
    for (Instruction* collective : run) collective->erase(Attr::ControlPredecessors);
    for (Instruction* collective : run) computation_.remove(collective);
  }

  // At the end for now: all operands are in front of it; the order is made anew afterwards.
  Instruction* makeCombined(const std::vector<Instruction*>& run, const std::vector<Instruction*>& operands) {
    std::vector<Instruction*> before;
    std::vector<Shape> shapes;
    for (const Instruction* collective : run) {
      for (Instruction* predecessor : collective->get<Attr::ControlPredecessors>()) {
        if (std::ranges::find(before, predecessor) == before.end()) before.push_back(predecessor);
      }
    }
    for (const Instruction* operand : operands) {
      const auto user = std::ranges::find(run, operand, [](const Instruction* i) { return i->operand(0); });
      shapes.push_back((*user)->shape());
    }
    Instruction* combined = computation_.createLike(*run[0], operands);
    combined->setShape(shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes));
    if (!before.empty()) combined->set<Attr::ControlPredecessors>(before);
    mergeAttributes(run, *combined);
    return combined;
  }

  Instruction* elementOf(Instruction& combined, size_t place) {
    if (!combined.shape().isTuple()) return &combined;
    Instruction* element =
        computation_.create(Opcode::GetTupleElement, combined.shape().tupleShapes()[place], {&combined});
    element->set<Attr::Index>(static_cast<int64_t>(place));
    return element;
  }

  Computation& computation_;
  PassContext& context_;
  const Opcode opcode_;
  const CombinerLimits limits_;
  const std::function<bool(const Instruction&)>& accepts_;
};

}  // namespace

Result<bool> combineCollectives(Module& module, PassContext& context, Opcode opcode,
                                const CombinerLimits& limits,
                                const std::function<bool(const Instruction&)>& accepts) {
  if (module.isScheduled()) {
    return fail("already-scheduled", "collectives are combined before the module is scheduled", {},
                {"use the module from before scheduling"});
  }
  bool changed = false;
  if (limits.count < 2) return changed;
  const auto ofLoops =
      limits.inLoops ? absl::flat_hash_set<const Computation*>() : computationsOfLoops(module);
  for (Computation* computation : mainComputations(module)) {
    if (context.cancelled()) return changed;
    if (ofLoops.contains(computation)) continue;
    changed |= Combiner(*computation, context, opcode, limits, accepts).run();
  }
  return changed;
}

namespace {

// What a pipelined loop hides, and what nothing can hide, first: up to the size that the module suggests.
Result<bool> combineAsSuggested(Module& module, PassContext& context, Opcode opcode,
                                const CombinerLimits& limits) {
  bool changed = false;
  if (const int64_t bytes = suggestedBytes(module); bytes > 0) {
    CombinerLimits suggested = limits;
    suggested.bytes = bytes;
    TRY(changed, combineCollectives(module, context, opcode, suggested, [](const Instruction& i) {
          return isPipelinedCollective(i) || isStatedSynchronous(i);
        }));
  }
  TRY(const bool others, combineCollectives(module, context, opcode, limits));
  return changed || others;
}

}  // namespace

Result<bool> combineAllReduces(Module& module, PassContext& context, const CombinerLimits& limits) {
  return combineAsSuggested(module, context, Opcode::AllReduce, limits);
}
Result<bool> combineAllGathers(Module& module, PassContext& context, const CombinerLimits& limits) {
  return combineAsSuggested(module, context, Opcode::AllGather, limits);
}
Result<bool> combineCollectivePermutes(Module& module, PassContext& context, const CombinerLimits& limits) {
  return combineCollectives(module, context, Opcode::CollectivePermute, limits);
}
Result<bool> combineReduceScatters(Module& module, PassContext& context, const CombinerLimits& limits) {
  return combineAsSuggested(module, context, Opcode::ReduceScatter, limits);
}

}  // namespace hilo
