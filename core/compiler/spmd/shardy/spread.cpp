#include "core/compiler/spmd/shardy/spread.h"

#include "core/compiler/spmd/shardy/op_steps.h"
#include "core/compiler/spmd/shardy/user_priorities.h"

namespace hilo::sdy {
namespace {

class Spreading {
 public:
  Spreading(ValueGraph& graph, const MeshTable& meshes, const SpreadSettings& settings)
      : graph_(graph), meshes_(meshes), settings_(settings), isListed_(graph.nodes.size(), false) {}

  Status joinGroups();
  void run(const CancelToken& cancel);
  std::vector<ShardingDecision> takeDecisions() { return std::move(decisions_); }

 private:
  void runStep(bool isAggressive, const CancelToken& cancel);
  bool visit(size_t node, bool isAggressive);
  std::optional<size_t> meshOf(const GraphNode& node) const;
  Projection projectNode(const GraphNode& node) const;
  const TensorSharding* shardingOf(ValueId value) const {
    const auto& sharding = graph_.values[value].sharding;
    return sharding ? &*sharding : nullptr;
  }
  TensorSharding wholeSide(const GraphNode& node) const;
  void update(size_t node, const FactorUpdate& by, const ArrayProjection& projection, size_t mesh);
  void assign(ValueId value, TensorSharding sharding, size_t node);
  void record(size_t node, const FactorUpdate& by, ValueId value);
  void list(size_t node, size_t butNot);

  ValueGraph& graph_;
  const MeshTable& meshes_;
  SpreadSettings settings_;
  std::vector<std::vector<ValueId>> membersOf_;
  std::vector<size_t> worklist_;
  std::vector<bool> isListed_;
  std::vector<ShardingDecision> decisions_;
  int step_ = 0;
  int round_ = 0;
};

// Members of a group start alike: what one says holds for all.
Status Spreading::joinGroups() {
  membersOf_.resize(graph_.values.size());
  for (const auto& group : graph_.groups) {
    std::optional<ValueId> first;
    for (ValueId member : group) {
      membersOf_[member] = group;
      if (!shardingOf(member)) continue;
      if (!first) first = member;
      if (*shardingOf(*first) == *shardingOf(member)) continue;
      const Instruction &a = *graph_.values[*first].owner, &b = *graph_.values[member].owner;
      const Mesh& mesh = meshes_[shardingOf(*first)->mesh];
      return fail("shard-group-mismatch",
                  fmt::format("{} and {} are in one group, but the one is {} and the other {}", a.name(),
                              b.name(), toString(mesh, *shardingOf(*first)),
                              toString(meshes_[shardingOf(member)->mesh], *shardingOf(member))),
                  {.computation = std::string(b.parent().name()), .instruction = std::string(b.name())},
                  {"members of a group must have the same sharding, or none"});
    }
    for (ValueId member : group) {
      if (first && member != *first) graph_.values[member].sharding = graph_.values[*first].sharding;
    }
  }
  return {};
}

// The mesh that all arrays of the node lie on; nullopt: none, or several, or all on one device.
std::optional<size_t> Spreading::meshOf(const GraphNode& node) const {
  std::optional<size_t> found;
  for (const auto* values : {&node.operands, &node.results}) {
    for (ValueId value : *values) {
      const TensorSharding* sharding = shardingOf(value);
      if (sharding == nullptr) continue;
      if (!found || meshes_[*found].isEmpty()) {
        found = sharding->mesh;
      } else if (!meshes_[sharding->mesh].isEmpty() && sharding->mesh != *found) {
        return std::nullopt;
      }
    }
  }
  return found && !meshes_[*found].axes.empty() ? found : std::nullopt;
}

// The part's sharding as the whole array has it (an entrance), or the other way (an exit).
TensorSharding Spreading::wholeSide(const GraphNode& node) const {
  const TensorSharding& result = *graph_.values[node.results[0]].sharding;
  return node.kind == GraphNode::Kind::Entrance ? withManual(node.outer, result, node.manualAxes)
                                                : withoutManual(result, node.manualAxes);
}

Projection Spreading::projectNode(const GraphNode& node) const {
  Projection projection;
  const bool isBorder = node.kind == GraphNode::Kind::Entrance || node.kind == GraphNode::Kind::Exit;
  for (size_t i = 0; i < node.operands.size(); ++i)
    projection.operands.push_back(project(node.rule, node.rule.operands[i], shardingOf(node.operands[i])));
  for (size_t i = 0; i < node.results.size(); ++i) {
    std::optional<TensorSharding> shown = graph_.values[node.results[i]].sharding;
    if (isBorder && shown) shown = wholeSide(node);
    projection.results.push_back(project(node.rule, node.rule.results[i], shown ? &*shown : nullptr));
  }
  return projection;
}

void Spreading::list(size_t node, size_t butNot) {
  if (node == butNot || isListed_[node] || graph_.nodes[node].kind == GraphNode::Kind::Result) return;
  isListed_[node] = true;
  worklist_.push_back(node);
}

void Spreading::assign(ValueId value, TensorSharding sharding, size_t node) {
  const auto set = [&](ValueId member) {
    graph_.values[member].sharding = sharding;
    const auto& nodes = graph_.nodesOfValue[member];
    for (size_t i = nodes.size(); i-- > 0;) list(nodes[i], node);
  };
  set(value);
  for (ValueId member : membersOf_[value]) {
    if (member != value) set(member);
  }
}

void Spreading::record(size_t node, const FactorUpdate& by, ValueId value) {
  const GraphNode& of = graph_.nodes[node];
  const auto valueAt = [&](size_t array) {
    return array < of.operands.size() ? of.operands[array] : of.results[array - of.operands.size()];
  };
  const Value& taker = graph_.values[value];
  const Value& giver = graph_.values[valueAt(by.source)];
  const bool fromOperand = by.source < of.operands.size();
  using Way = ShardingDecision::Direction;
  const Way way = of.kind != GraphNode::Kind::Operation && of.kind != GraphNode::Kind::Result ? Way::Linked
                  : fromOperand ? Way::FromOperand
                                : Way::FromUser;
  decisions_.push_back({.instruction = taker.owner->id(),
                        .name = std::string(taker.owner->name()),
                        .sharding = toString(meshes_[taker.sharding->mesh], *taker.sharding),
                        .neighbour = std::string(giver.owner->name()),
                        .rule = ruleText(of, by.factor),
                        .direction = way,
                        .level = step_,
                        .round = round_});
}

void Spreading::update(size_t node, const FactorUpdate& by, const ArrayProjection& projection, size_t mesh) {
  const GraphNode& of = graph_.nodes[node];
  const bool isOperand = by.array < of.operands.size();
  const size_t index = isOperand ? by.array : by.array - of.operands.size();
  const ValueId value = isOperand ? of.operands[index] : of.results[index];
  TensorSharding like;
  if (const TensorSharding* has = shardingOf(value)) like = *has;
  like.mesh = mesh;
  TensorSharding made =
      unproject(of.rule, isOperand ? of.rule.operands[index] : of.rule.results[index], projection, like);
  for (size_t d = 0; d < made.dimensions.size() && d < like.dimensions.size(); ++d)
    made.dimensions[d].priority = like.dimensions[d].priority;
  if (!isOperand && of.kind == GraphNode::Kind::Entrance)
    made = withoutManual(std::move(made), of.manualAxes);
  if (!isOperand && of.kind == GraphNode::Kind::Exit)
    made = withManual(*graph_.values[value].sharding, made, of.manualAxes);
  const TensorSharding* has = shardingOf(value);
  if (has != nullptr && *has == made) return;
  assign(value, std::move(made), node);
  record(node, by, value);
}

bool Spreading::visit(size_t index, bool isAggressive) {
  const GraphNode& node = graph_.nodes[index];
  const auto direction = [&](size_t factor) { return directionAt(node, factor, step_); };
  bool takesPart = false;
  for (size_t f = 0; f < node.rule.factors.size() && !takesPart; ++f)
    takesPart = direction(f) != Direction::None;
  const auto mesh = takesPart ? meshOf(node) : std::nullopt;
  if (!mesh) return false;
  Projection projection = projectNode(node);
  const auto updates = isAggressive
                           ? propagateAggressive(projection, node.rule, direction, node.isElementwise)
                           : propagateBasic(projection, node.rule, direction);
  // An array is written once, with all its factors; operands first, as others look at them again.
  std::vector<const FactorUpdate*> last(node.operands.size() + node.results.size(), nullptr);
  for (const FactorUpdate& update : updates) last[update.array] = &update;
  for (size_t array = 0; array < last.size(); ++array) {
    if (last[array] == nullptr) continue;
    const bool isOperand = array < node.operands.size();
    update(index, *last[array],
           isOperand ? projection.operands[array] : projection.results[array - node.operands.size()], *mesh);
  }
  return !updates.empty();
}

void Spreading::runStep(bool isAggressive, const CancelToken& cancel) {
  ++round_;
  const auto settleResults = [&] {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes[n].kind == GraphNode::Kind::Result) visit(n, isAggressive);
    }
  };
  settleResults();
  worklist_.clear();
  isListed_.assign(graph_.nodes.size(), false);
  for (size_t n = graph_.nodes.size(); n-- > 0;) list(n, graph_.nodes.size());
  while (!worklist_.empty() && !cancel.cancelled()) {
    const size_t node = worklist_.back();
    worklist_.pop_back();
    isListed_[node] = false;
    visit(node, isAggressive);
  }
  settleResults();
}

void Spreading::run(const CancelToken& cancel) {
  UserPriorities priorities(graph_);
  for (int64_t priority : priorities.all()) {
    priorities.open(graph_, priority);
    for (step_ = settings_.bySteps ? 0 : kSteps - 1; step_ < kSteps; ++step_) {
      if (settings_.strategy != Strategy::Aggressive) runStep(false, cancel);
      if (settings_.strategy != Strategy::Basic) runStep(true, cancel);
    }
  }
}

}  // namespace

Result<std::vector<ShardingDecision>> spread(ValueGraph& graph, const MeshTable& meshes,
                                             const SpreadSettings& settings, const CancelToken& cancel) {
  Spreading spreading(graph, meshes, settings);
  TRY_STATUS(spreading.joinGroups());
  spreading.run(cancel);
  return spreading.takeDecisions();
}

}  // namespace hilo::sdy
