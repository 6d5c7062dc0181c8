// Loops, branches and calls in the value graph.
#include "core/compiler/spmd/shardy/graph_builder.h"

namespace hilo::sdy {

// Through tuples and loops that hand it on.
std::pair<const Instruction*, size_t> GraphBuilder::origin(const Instruction* instruction, size_t leaf) {
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

bool GraphBuilder::passesThrough(const Instruction& loop, size_t leaf) {
  const auto known = passes_.find({&loop, leaf});
  if (known != passes_.end()) return known->second;
  const Computation* body = loop.get<Attr::Body>();
  const bool passes =
      origin(body->root(), leaf) == std::pair<const Instruction*, size_t>(body->parameters()[0], leaf);
  passes_[{&loop, leaf}] = passes;
  return passes;
}

// A value with a sharding may be cut further inside of the loop that only reads it.
LeafId GraphBuilder::openInLoop(const Instruction& loop, LeafId outer) {
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

Status GraphBuilder::enter(const Computation& callee, const Instruction& caller) {
  if (entered_.insert(&callee).second) return {};
  return fail("shardy-unsupported",
              fmt::format("{} calls {}, which something else calls as well: its instructions cannot have "
                          "shardings for both",
                          caller.name(), callee.name()),
              {.computation = std::string(caller.parent().name()), .instruction = std::string(caller.name())},
              {"run flatten-call-graph before"});
}

Status GraphBuilder::addWhile(const Instruction& loop) {
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

Status GraphBuilder::addConditional(const Instruction& conditional) {
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

Status GraphBuilder::addCall(const Instruction& call) {
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

}  // namespace hilo::sdy
