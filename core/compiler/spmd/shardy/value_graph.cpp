#include "core/compiler/spmd/shardy/value_graph.h"

#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

// One array as one place of the program sees it: several may be one value.
struct LeafRecord {
  ValueId value = 0;
  int uses = 0;
};
using LeafId = size_t;
using Leaves = std::vector<LeafId>;

bool isElementwiseNode(const Instruction& i) {
  if (i.opcode() == Opcode::BitcastConvert) return i.shape().rank() == i.operand(0)->shape().rank();
  return isElementwise(i.opcode()) || i.opcode() == Opcode::Copy || isConstraint(i);
}

size_t leafCount(Shape shape) { return leavesOf(shape).size(); }

class Builder {
 public:
  Builder(const Module& module, const Statements& statements) : module_(module), statements_(statements) {}
  Result<ValueGraph> run();

 private:
  Status add(const Computation& computation);
  Status add(const Instruction& instruction);
  Status addWhile(const Instruction& loop);
  Status addConditional(const Instruction& conditional);
  Status addCall(const Instruction& call);
  void addOperation(const Instruction& instruction);
  void addBorder(const Instruction& call, const ManualBorder& border);
  void addBarrier(const Instruction& instruction);
  void addResults();
  Status enter(const Computation& callee, const Instruction& caller);
  void finishUses();

  Leaves operandLeaves(const Instruction& instruction, size_t operand) const {
    return leaves_.at(instruction.operand(operand));
  }
  LeafId makeLeaf(ValueId value) {
    records_.push_back({value, 0});
    return records_.size() - 1;
  }
  ValueId makeValue(const Instruction& owner, size_t leaf, Shape shape);
  Leaves makeLeaves(const Instruction& owner);
  void addEdge(const Instruction& instruction, const Leaves& sources, LeafId target);
  // The leaf of the operand that a loop hands through as it is, as the body sees it.
  LeafId openInLoop(const Instruction& loop, LeafId outer);
  bool passesThrough(const Instruction& loop, size_t leaf);
  std::pair<const Instruction*, size_t> origin(const Instruction* instruction, size_t leaf);

  const Module& module_;
  const Statements& statements_;
  ValueGraph graph_;
  std::vector<LeafRecord> records_;
  absl::flat_hash_map<const Instruction*, Leaves> leaves_;
  std::vector<Leaves> nodeLeaves_;  // operands of nodes, for counting uses
  absl::flat_hash_set<const Computation*> entered_;
  absl::flat_hash_map<std::pair<const Instruction*, size_t>, bool> passes_;
};

ValueId Builder::makeValue(const Instruction& owner, size_t leaf, Shape shape) {
  Value value{.owner = &owner, .leaf = leaf, .shape = shape, .sharding = {}};
  if (const TensorSharding* stated = statements_.of(&owner, leaf)) value.sharding = *stated;
  graph_.values.push_back(std::move(value));
  return graph_.values.size() - 1;
}

Leaves Builder::makeLeaves(const Instruction& owner) {
  Leaves leaves;
  for (Shape shape : leavesOf(owner.shape()))
    leaves.push_back(makeLeaf(makeValue(owner, leaves.size(), shape)));
  return leaves;
}

void Builder::addEdge(const Instruction& instruction, const Leaves& sources, LeafId target) {
  const ValueId value = records_[target].value;
  const Shape shape = graph_.values[value].shape;
  if (!shape.isArray()) return;
  GraphNode node{.kind = GraphNode::Kind::Edge,
                 .instruction = &instruction,
                 .rule = identityRule(shape, sources.size()),
                 .results = {value}};
  for (LeafId source : sources) {
    node.operands.push_back(records_[source].value);
    ++records_[source].uses;
  }
  graph_.nodes.push_back(std::move(node));
  nodeLeaves_.emplace_back();
}

// Through tuples and loops that hand it on.
std::pair<const Instruction*, size_t> Builder::origin(const Instruction* instruction, size_t leaf) {
  for (;;) {
    if (instruction->opcode() == Opcode::Tuple) {
      size_t operand = 0;
      for (size_t count = 0; leaf >= (count = leafCount(instruction->operand(operand)->shape())); ++operand)
        leaf -= count;
      instruction = instruction->operand(operand);
    } else if (instruction->opcode() == Opcode::GetTupleElement) {
      const Shape tuple = instruction->operand(0)->shape();
      for (int64_t i = 0; i < instruction->tupleIndex(); ++i)
        leaf += leafCount(tuple.tupleShapes()[static_cast<size_t>(i)]);
      instruction = instruction->operand(0);
    } else if (instruction->opcode() == Opcode::While && passesThrough(*instruction, leaf)) {
      instruction = instruction->operand(0);
    } else {
      return {instruction, leaf};
    }
  }
}

bool Builder::passesThrough(const Instruction& loop, size_t leaf) {
  const auto known = passes_.find({&loop, leaf});
  if (known != passes_.end()) return known->second;
  const Computation* body = loop.get<Attr::Body>();
  const bool passes =
      origin(body->root(), leaf) == std::pair<const Instruction*, size_t>(body->parameters()[0], leaf);
  passes_[{&loop, leaf}] = passes;
  return passes;
}

// A value with a sharding may be cut further inside of the loop that only reads it.
LeafId Builder::openInLoop(const Instruction& loop, LeafId outer) {
  const Value& value = graph_.values[records_[outer].value];
  if (!value.sharding || !value.shape.isArray() || value.shape.rank() == 0) return outer;
  TensorSharding open = plainSharding(value.sharding->mesh, value.shape.rank(), false);
  if (open == *value.sharding) return outer;
  const Shape shape = value.shape;
  graph_.values.push_back({.owner = &loop, .leaf = 0, .shape = shape, .sharding = std::move(open)});
  const LeafId inner = makeLeaf(graph_.values.size() - 1);
  GraphNode node{.kind = GraphNode::Kind::Operation,
                 .instruction = &loop,
                 .rule = identityRule(shape, 1),
                 .operands = {records_[outer].value},
                 .results = {records_[inner].value},
                 .isElementwise = true};
  graph_.nodes.push_back(std::move(node));
  nodeLeaves_.push_back({outer});
  ++records_[outer].uses;
  return inner;
}

Status Builder::enter(const Computation& callee, const Instruction& caller) {
  if (entered_.insert(&callee).second) return {};
  return fail("shardy-unsupported",
              fmt::format("{} calls {}, which something else calls as well: its instructions cannot have "
                          "shardings for both",
                          caller.name(), callee.name()),
              {.computation = std::string(caller.parent().name()), .instruction = std::string(caller.name())},
              {"run flatten-call-graph before"});
}

Status Builder::addWhile(const Instruction& loop) {
  const Computation* body = loop.get<Attr::Body>();
  const Computation* condition = loop.get<Attr::Condition>();
  TRY_STATUS(enter(*body, loop));
  TRY_STATUS(enter(*condition, loop));
  const Leaves start = operandLeaves(loop, 0);
  Leaves result = makeLeaves(loop), inBody, inCondition;
  std::vector<bool> isHandedOn;
  for (size_t i = 0; i < start.size(); ++i) {
    isHandedOn.push_back(passesThrough(loop, i));
    if (isHandedOn.back()) {
      result[i] = start[i];
      inBody.push_back(openInLoop(loop, start[i]));
      inCondition.push_back(inBody.back());
    } else {
      inBody.push_back(makeLeaf(records_[result[i]].value));
      inCondition.push_back(makeLeaf(records_[result[i]].value));
    }
  }
  leaves_[condition->parameters()[0]] = inCondition;
  leaves_[body->parameters()[0]] = inBody;
  TRY_STATUS(add(*condition));
  TRY_STATUS(add(*body));
  const Leaves end = leaves_.at(body->root());
  for (size_t i = 0; i < start.size(); ++i) {
    if (!isHandedOn[i]) addEdge(loop, {start[i], end[i]}, result[i]);
  }
  leaves_[&loop] = std::move(result);
  // The loop itself is written with what its body sees.
  graph_.valuesOf[&loop].clear();
  for (LeafId leaf : inBody) graph_.valuesOf[&loop].push_back(records_[leaf].value);
  return {};
}

Status Builder::addConditional(const Instruction& conditional) {
  const auto branches = conditional.calledComputations();
  for (size_t i = 0; i < branches.size(); ++i) {
    TRY_STATUS(enter(*branches[i], conditional));
    leaves_[branches[i]->parameters()[0]] = operandLeaves(conditional, i + 1);
    TRY_STATUS(add(*branches[i]));
  }
  const Leaves result = makeLeaves(conditional);
  for (size_t i = 0; i < result.size(); ++i) {
    Leaves sources;
    for (const Computation* branch : branches) sources.push_back(leaves_.at(branch->root())[i]);
    addEdge(conditional, sources, result[i]);
  }
  leaves_[&conditional] = result;
  return {};
}

Status Builder::addCall(const Instruction& call) {
  const Computation* callee = call.get<Attr::ToApply>();
  TRY_STATUS(enter(*callee, call));
  for (size_t i = 0; i < call.operandCount(); ++i) leaves_[callee->parameters()[i]] = operandLeaves(call, i);
  TRY_STATUS(add(*callee));
  const Leaves end = leaves_.at(callee->root());
  // A manual region is bordered by calls of its own.
  if (isManualBody(*callee)) {
    leaves_[&call] = end;
    return {};
  }
  const Leaves result = makeLeaves(call);
  for (size_t i = 0; i < result.size(); ++i) addEdge(call, {end[i]}, result[i]);
  leaves_[&call] = result;
  return {};
}

void Builder::addBarrier(const Instruction& instruction) {
  const Leaves from = operandLeaves(instruction, 0), to = makeLeaves(instruction);
  leaves_[&instruction] = to;
  const auto allowed = statements_.barriers.find(&instruction);
  for (size_t i = 0; i < to.size(); ++i) {
    if (!graph_.values[records_[to[i]].value].shape.isArray()) continue;
    addEdge(instruction, {from[i]}, to[i]);
    if (allowed == statements_.barriers.end()) continue;
    graph_.nodes.back().kind = GraphNode::Kind::Barrier;
    graph_.nodes.back().allowed = static_cast<Direction>(allowed->second);
  }
}

void Builder::addBorder(const Instruction& call, const ManualBorder& border) {
  Leaves from;
  for (size_t i = 0; i < call.operandCount(); ++i) {
    const Leaves of = operandLeaves(call, i);
    from.insert(from.end(), of.begin(), of.end());
  }
  const Leaves to = makeLeaves(call);
  leaves_[&call] = to;
  for (size_t i = 0; i < to.size(); ++i) {
    Value& value = graph_.values[records_[to[i]].value];
    if (!value.shape.isArray()) continue;
    value.sharding =
        border.isEntrance ? withoutManual(border.shardings[i], border.axes) : border.shardings[i];
    addEdge(call, {from[i]}, to[i]);
    GraphNode& node = graph_.nodes.back();
    node.kind = border.isEntrance ? GraphNode::Kind::Entrance : GraphNode::Kind::Exit;
    node.outer = border.shardings[i];
    node.manualAxes = border.axes;
  }
}

void Builder::addOperation(const Instruction& instruction) {
  const Leaves results = makeLeaves(instruction);
  leaves_[&instruction] = results;
  Leaves used;
  bool isOfArrays = true;
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    const Leaves of = operandLeaves(instruction, i);
    for (LeafId leaf : of) ++records_[leaf].uses;
    isOfArrays = isOfArrays && of.size() == 1;
    used.insert(used.end(), of.begin(), of.end());
  }
  const auto own = statements_.rules.find(&instruction);
  auto rule = own != statements_.rules.end() ? std::optional(own->second) : shardingRule(instruction);
  if (!rule || !isOfArrays) return;
  GraphNode node{.instruction = &instruction, .rule = std::move(*rule)};
  for (LeafId leaf : used) node.operands.push_back(records_[leaf].value);
  for (LeafId leaf : results) node.results.push_back(records_[leaf].value);
  node.isElementwise = isElementwiseNode(instruction);
  graph_.nodes.push_back(std::move(node));
  nodeLeaves_.push_back(std::move(used));
}

Status Builder::add(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Parameter) {
    if (!leaves_.contains(&instruction)) leaves_[&instruction] = makeLeaves(instruction);
    return {};
  }
  if (instruction.opcode() == Opcode::Tuple) {
    Leaves all;
    for (size_t i = 0; i < instruction.operandCount(); ++i) {
      const Leaves of = operandLeaves(instruction, i);
      all.insert(all.end(), of.begin(), of.end());
    }
    leaves_[&instruction] = std::move(all);
    return {};
  }
  if (instruction.opcode() == Opcode::GetTupleElement) {
    const Shape tuple = instruction.operand(0)->shape();
    size_t first = 0;
    for (int64_t i = 0; i < instruction.tupleIndex(); ++i)
      first += leafCount(tuple.tupleShapes()[static_cast<size_t>(i)]);
    const Leaves all = operandLeaves(instruction, 0);
    const auto begin = all.begin() + static_cast<int64_t>(first);
    leaves_[&instruction] = Leaves(begin, begin + static_cast<int64_t>(leafCount(instruction.shape())));
    return {};
  }
  if (instruction.opcode() == Opcode::While) return addWhile(instruction);
  if (instruction.opcode() == Opcode::Conditional) return addConditional(instruction);
  if (instruction.opcode() == Opcode::Call) return addCall(instruction);
  const auto border = statements_.borders.find(&instruction);
  if (border != statements_.borders.end()) {
    addBorder(instruction, border->second);
  } else if (instruction.opcode() == Opcode::OptBarrier || statements_.barriers.contains(&instruction)) {
    addBarrier(instruction);
  } else {
    addOperation(instruction);
  }
  return {};
}

Status Builder::add(const Computation& computation) {
  for (const Instruction* instruction : computation.instructions()) {
    TRY_STATUS(add(*instruction));
    auto& values = graph_.valuesOf[instruction];
    if (!values.empty()) continue;
    for (LeafId leaf : leaves_.at(instruction)) values.push_back(records_[leaf].value);
  }
  return {};
}

void Builder::addResults() {
  const Instruction* root = module_.entry()->root();
  const Leaves leaves = leaves_.at(root);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Shape shape = graph_.values[records_[leaves[i]].value].shape;
    if (!shape.isArray()) continue;
    graph_.values.push_back({.owner = root, .leaf = i, .shape = shape, .sharding = statements_.results[i]});
    const LeafId result = makeLeaf(graph_.values.size() - 1);
    addEdge(*root, {leaves[i]}, result);
    graph_.nodes.back().kind = GraphNode::Kind::Result;
  }
}

void Builder::finishUses() {
  graph_.nodesOfValue.resize(graph_.values.size());
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    GraphNode& node = graph_.nodes[n];
    for (LeafId leaf : nodeLeaves_[n]) {
      const bool isScalar = graph_.values[records_[leaf].value].shape.rank() == 0;
      if (!isScalar && records_[leaf].uses > 1) node.operandsUsedOnce = false;
    }
    for (const auto* values : {&node.operands, &node.results}) {
      for (ValueId value : *values) {
        auto& nodes = graph_.nodesOfValue[value];
        if (nodes.empty() || nodes.back() != n) nodes.push_back(n);
      }
    }
  }
}

Result<ValueGraph> Builder::run() {
  TRY_STATUS(add(*module_.entry()));
  addResults();
  for (const auto& [id, members] : statements_.groups) {
    auto& group = graph_.groups.emplace_back();
    for (const Instruction* member : members) {
      const auto leaves = leaves_.find(member);
      if (leaves == leaves_.end() || leaves->second.size() != 1) continue;
      group.push_back(records_[leaves->second[0]].value);
      ++records_[leaves->second[0]].uses;
    }
  }
  finishUses();
  return std::move(graph_);
}

}  // namespace

Result<ValueGraph> buildGraph(const Module& module, const Statements& statements) {
  return Builder(module, statements).run();
}

TensorSharding withoutManual(TensorSharding sharding, std::span<const AxisRef> manual) {
  for (DimensionSharding& dimension : sharding.dimensions) dimension.axes = without(dimension.axes, manual);
  sharding.replicated = without(sharding.replicated, manual);
  sharding.unreduced = without(sharding.unreduced, manual);
  return sharding;
}

TensorSharding withManual(const TensorSharding& outer, const TensorSharding& part,
                          std::span<const AxisRef> manual) {
  TensorSharding result = outer;
  for (size_t d = 0; d < result.dimensions.size() && d < part.dimensions.size(); ++d) {
    DimensionSharding& dimension = result.dimensions[d];
    const Axes free = without(dimension.axes, manual);
    dimension.axes = without(dimension.axes, free);
    for (const AxisRef& axis : part.dimensions[d].axes) dimension.axes.push_back(axis);
    dimension.isClosed = part.dimensions[d].isClosed;
    dimension.priority = part.dimensions[d].priority;
  }
  return result;
}

}  // namespace hilo::sdy
