#include "core/compiler/passes/collectives/collective_combiner.h"

#include "core/analysis/saturating.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/control_edges.h"

namespace hilo {
namespace {

const Instruction* withoutConverts(const Instruction* value) {
  while (value->opcode() == Opcode::Convert) value = value->operand(0);
  return value;
}

// The operation a reducer applies, in its own type or a wider one; none when it is not one binary operation
// on its parameters.
std::optional<Opcode> reducerOpcode(const Instruction& collective) {
  const Computation* reducer = collective.get<Attr::ToApply>();
  if (reducer == nullptr || reducer->root() == nullptr || reducer->parameters().size() != 2)
    return std::nullopt;
  const Instruction& root = *withoutConverts(reducer->root());
  if (root.operandCount() != 2) return std::nullopt;
  const Instruction *left = withoutConverts(root.operand(0)), *right = withoutConverts(root.operand(1));
  const bool binary =
      left->opcode() == Opcode::Parameter && right->opcode() == Opcode::Parameter && left != right;
  return binary ? std::optional(root.opcode()) : std::nullopt;
}

// The devices it sends from and to.
std::string permuteKeyOf(const Instruction& permute) {
  std::string key = permute.has(Attr::ChannelId) ? " channel" : "";
  for (const auto pair : permute.get<Attr::SourceTargetPairs>())
    key += fmt::format(" {}", fmt::join(pair, ","));
  return key;
}

// What the program says must stay apart.
std::string statedKeyOf(const Instruction& collective) {
  std::string key;
  for (const FrontendAttribute& attribute : collective.get<Attr::FrontendAttributes>()) {
    if (attribute.name == "combiner_key" || attribute.name == "collective_group_key")
      key += fmt::format(" {}={}", attribute.name, attribute.value);
  }
  return key;
}

// Collectives with equal keys may be one. Empty: this one stays alone.
std::string keyOf(const Instruction& collective) {
  if (!collective.shape().isArray() || collective.operandCount() != 1) return {};
  std::string key = fmt::format("{}{}", opcodeName(collective.opcode()), statedKeyOf(collective));
  if (collective.opcode() == Opcode::CollectivePermute) return key + permuteKeyOf(collective);
  if (collective.opcode() != Opcode::AllGather) {
    const auto reducer = reducerOpcode(collective);
    if (!reducer) return {};
    // The reducer's parameters have one type.
    key += fmt::format(" {} {}", opcodeName(*reducer), elementTypeName(collective.shape().elementType()));
  }
  key += fmt::format(" [{}]", fmt::join(collective.dimensions(), ","));
  if (const ReplicaGroups* groups = collective.get<Attr::ReplicaGroups>()) {
    for (const auto& group : expandReplicaGroups(*groups))
      key += fmt::format(" {{{}}}", fmt::join(group, ","));
  }
  key += fmt::format(" {} {} {}", collective.has(Attr::ChannelId),
                     collective.get<Attr::UseGlobalDeviceIds>().value_or(false),
                     collective.get<Attr::ConstrainLayout>().value_or(false));
  return key;
}

class Combiner {
 public:
  Combiner(Computation& computation, PassContext& context, Opcode opcode, const CombinerLimits& limits,
           const std::function<bool(const Instruction&)>& accepts)
      : computation_(computation), context_(context), opcode_(opcode), limits_(limits), accepts_(accepts) {}

  bool run() {
    std::vector<std::string> keys;  // in order of their first collective
    absl::flat_hash_map<std::string, std::vector<Instruction*>> byKey;
    for (Instruction* instruction : postOrder(computation_)) {
      if (instruction->opcode() != opcode_ || (accepts_ && !accepts_(*instruction))) continue;
      std::string key = keyOf(*instruction);
      if (key.empty()) continue;
      auto& list = byKey[key];
      if (list.empty()) keys.push_back(key);
      list.push_back(instruction);
    }
    bool changed = false;
    for (const std::string& key : keys) changed |= combineAll(byKey[key]);
    if (changed) computation_.reorder(postOrder(computation_));
    return changed;
  }

 private:
  // Runs of collectives, in order, as long as they fit and none waits for another of the run.
  bool combineAll(const std::vector<Instruction*>& collectives) {
    bool changed = false;
    std::vector<Instruction*> run;
    int64_t bytes = 0;
    const auto finish = [&] {
      if (run.size() > 1 && context_.mayChange(*run[0])) {
        combine(run);
        changed = true;
      }
      run.clear();
      bytes = 0;
    };
    for (Instruction* collective : collectives) {
      const int64_t size = collective->shape().byteSize();
      if (size > limits_.bytes) {
        context_.remark(*collective, "missed", "larger than what is combined");
        continue;
      }
      if (saturatingAdd(bytes, size) > limits_.bytes || static_cast<int64_t>(run.size()) >= limits_.count ||
          dependsOnAny(collective, run))
        finish();
      run.push_back(collective);
      bytes += size;
    }
    finish();
    return changed;
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
    std::vector<Instruction*> operands, before;
    std::vector<Shape> shapes;
    for (Instruction* collective : run) {
      operands.push_back(collective->operand(0));
      shapes.push_back(collective->shape());
      for (Instruction* predecessor : collective->get<Attr::ControlPredecessors>()) {
        if (std::ranges::find(before, predecessor) == before.end()) before.push_back(predecessor);
      }
    }
    // At the end for now: all operands are in front of it; the order is made anew afterwards.
    Instruction* combined = computation_.createLike(*run[0], operands);
    combined->setShape(Shape::tuple(shapes));
    if (!before.empty()) combined->set<Attr::ControlPredecessors>(before);
    absl::flat_hash_map<const Instruction*, Instruction*> replacedBy;
    for (size_t i = 0; i < run.size(); ++i) {
      Instruction* element = computation_.create(Opcode::GetTupleElement, shapes[i], {combined});
      element->set<Attr::Index>(static_cast<int64_t>(i));
      context_.remark(*run[i], "combined",
                      fmt::format("into {} with {} others", combined->name(), run.size() - 1));
      computation_.replaceAllUses(run[i], element);
      replacedBy[run[i]] = combined;
    }
    redirectControlPredecessors(computation_, replacedBy);
    for (Instruction* collective : run) collective->erase(Attr::ControlPredecessors);
    for (Instruction* collective : run) computation_.remove(collective);
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
  for (Computation* computation : mainComputations(module)) {
    if (context.cancelled()) return changed;
    changed |= Combiner(*computation, context, opcode, limits, accepts).run();
  }
  return changed;
}

Result<bool> combineAllReduces(Module& module, PassContext& context, const CombinerLimits& limits) {
  return combineCollectives(module, context, Opcode::AllReduce, limits);
}
Result<bool> combineAllGathers(Module& module, PassContext& context, const CombinerLimits& limits) {
  return combineCollectives(module, context, Opcode::AllGather, limits);
}
Result<bool> combineCollectivePermutes(Module& module, PassContext& context, const CombinerLimits& limits) {
  return combineCollectives(module, context, Opcode::CollectivePermute, limits);
}
Result<bool> combineReduceScatters(Module& module, PassContext& context, const CombinerLimits& limits) {
  return combineCollectives(module, context, Opcode::ReduceScatter, limits);
}

}  // namespace hilo
