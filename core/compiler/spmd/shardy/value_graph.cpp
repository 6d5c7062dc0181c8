#include "core/compiler/spmd/shardy/graph_builder.h"

#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

bool isElementwiseNode(const Instruction& i) {
  if (i.opcode() == Opcode::BitcastConvert) return i.shape().rank() == i.operand(0)->shape().rank();
  return isElementwise(i.opcode()) || i.opcode() == Opcode::Copy || isConstraint(i);
}

}  // namespace

size_t leafCount(Shape shape) { return leavesOf(shape).size(); }

ValueId GraphBuilder::makeValue(const Instruction& owner, size_t leaf, Shape shape) {
  Value value{.owner = &owner, .leaf = leaf, .shape = shape, .sharding = {}};
  if (const TensorSharding* stated = statements_.of(&owner, leaf)) value.sharding = *stated;
  graph_.values.push_back(std::move(value));
  return graph_.values.size() - 1;
}

Leaves GraphBuilder::makeLeaves(const Instruction& owner) {
  Leaves leaves;
  for (Shape shape : leavesOf(owner.shape()))
    leaves.push_back(makeLeaf(makeValue(owner, leaves.size(), shape)));
  return leaves;
}

void GraphBuilder::addEdge(const Instruction& instruction, const Leaves& sources, LeafId target) {
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

void GraphBuilder::addBarrier(const Instruction& instruction) {
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

void GraphBuilder::addBorder(const Instruction& call, const ManualBorder& border) {
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

void GraphBuilder::addOperation(const Instruction& instruction) {
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

Status GraphBuilder::add(const Instruction& instruction) {
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

Status GraphBuilder::add(const Computation& computation) {
  for (const Instruction* instruction : computation.instructions()) {
    TRY_STATUS(add(*instruction));
    auto& values = graph_.valuesOf[instruction];
    if (!values.empty()) continue;
    for (LeafId leaf : leaves_.at(instruction)) values.push_back(records_[leaf].value);
  }
  return {};
}

void GraphBuilder::addResults() {
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

void GraphBuilder::finishUses() {
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

Result<ValueGraph> GraphBuilder::run() {
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

Result<ValueGraph> buildGraph(const Module& module, const Statements& statements) {
  return GraphBuilder(module, statements).run();
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
