#include "core/compiler/passes/convolutions/pointwise_graph.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/convolutions/forward_call.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/move_readers.h"

namespace hilo {
namespace {

constexpr std::string_view kCast = "cast", kMaximum = "amax";

// The largest number of the types that a graph casts to.
double largestOf(ElementType type) {
  if (type == ElementType::F8E4M3FN) return 448;
  return type == ElementType::F8E5M2 ? 57344 : 0;
}

ElementType typeOf(const Instruction& i) { return i.shape().elementType(); }

// Folds all of an array to its largest number, from one that is not above zero.
bool foldsToLargest(const Instruction& reduce) {
  if (reduce.opcode() != Opcode::Reduce || reduce.operandCount() != 2 || !reduce.shape().isScalar())
    return false;
  const Instruction& start = *reduce.operand(1);
  const auto number = start.opcode() == Opcode::Constant ? algebra::splatValue(start) : std::nullopt;
  const Instruction& root = *reduce.get<Attr::ToApply>()->root();
  return number && *number <= 0 && root.opcode() == Opcode::Maximum && root.operand(0) != root.operand(1) &&
         root.operand(0)->opcode() == Opcode::Parameter && root.operand(1)->opcode() == Opcode::Parameter;
}

bool isZero(const Instruction& value) { return repeatedNumber(value) == 0.0; }

}  // namespace

PointwiseGraph::PointwiseGraph(Instruction& conv, std::span<const Scale> scales) {
  nodes_.push_back(
      {.name = "conv", .type = typeOf(conv), .inputs = {}, .outside = nullptr, .value = nullptr});
  for (const Scale& scale : scales)
    nodes_.push_back({.name = scale.divides ? "invscale" : "scale",
                      .type = typeOf(conv),
                      .inputs = {nodes_.size() - 1},
                      .outside = scale.scalar,
                      .value = nullptr});
  nodes_.back().value = &conv;
  nodeOf_[&conv] = nodes_.size() - 1;
  for (Instruction* i = conv.next(); i != nullptr; i = i->next()) take(*i);
  dropMaximaThatAreRead();
}

const size_t* PointwiseGraph::nodeOf(const Instruction* value) const {
  const auto found = nodeOf_.find(value);
  return found == nodeOf_.end() ? nullptr : &found->second;
}

size_t PointwiseGraph::add(Node node) {
  if (node.value != nullptr && node.name != kMaximum) nodeOf_[node.value] = nodes_.size();
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

void PointwiseGraph::take(Instruction& i) {
  if (i.has(Attr::ControlPredecessors) || i.wasControlPredecessor()) return;
  switch (i.opcode()) {
    case Opcode::Add:
      takeSum(i);
      return;
    case Opcode::Multiply:
    case Opcode::Divide:
    case Opcode::Maximum:
      takeScaled(i);
      return;
    case Opcode::Clamp:
      takeRelu6(i);
      return;
    case Opcode::Select:
      takeSelect(i);
      return;
    case Opcode::Reduce:
      takeMaximum(i);
      return;
    case Opcode::Convert:
      takeCast(i);
      return;
    default:
      return;
  }
}

bool PointwiseGraph::takeSum(Instruction& i) {
  const size_t *a = nodeOf(i.operand(0)), *b = nodeOf(i.operand(1));
  if (a == nullptr && b == nullptr) return false;
  Node node{.name = "add", .type = typeOf(i), .inputs = {}, .value = &i};
  for (const size_t* side : {a, b}) {
    if (side != nullptr) node.inputs.push_back(*side);
  }
  if (a == nullptr || b == nullptr) node.outside = i.operand(a == nullptr ? 0 : 1);
  add(std::move(node));
  return true;
}

// x * scalar, x / scalar, max(x, 0).
bool PointwiseGraph::takeScaled(Instruction& i) {
  const size_t sides = i.opcode() == Opcode::Divide ? 1 : 2;
  for (size_t side = 0; side < sides; ++side) {
    const size_t* x = nodeOf(i.operand(side));
    const Instruction& other = *i.operand(1 - side);
    const bool isRelu = i.opcode() == Opcode::Maximum;
    Instruction* scalar = isRelu ? nullptr : algebra::scalarBehind(other);
    if (x == nullptr || (isRelu ? !isZero(other) : scalar == nullptr)) continue;
    const std::string_view name = isRelu ? "relu" : i.opcode() == Opcode::Divide ? "invscale" : "scale";
    add({.name = std::string(name), .type = typeOf(i), .inputs = {*x}, .outside = scalar, .value = &i});
    return true;
  }
  return false;
}

bool PointwiseGraph::takeRelu6(Instruction& i) {
  const size_t* x = nodeOf(i.operand(1));
  if (x == nullptr || !isZero(*i.operand(0)) || repeatedNumber(*i.operand(2)) != 6.0) return false;
  const size_t relu = add({.name = "relu", .type = typeOf(i), .inputs = {*x}});
  add({.name = "min", .type = typeOf(i), .inputs = {relu}, .outside = i.operand(2), .value = &i});
  return true;
}

// select(x > 0, x, exp(x) - 1) or select(x > 0, x, slope * x): max(slope * min(x, 0), x).
bool PointwiseGraph::takeSelect(Instruction& i) {
  Instruction *compare = i.operand(0), *x = i.operand(1), *below = i.operand(2);
  const size_t* node = nodeOf(x);
  if (node == nullptr || compare->opcode() != Opcode::Compare || compare->operand(0) != x ||
      compare->get<Attr::Direction>() != ComparisonDirection::Gt || !isZero(*compare->operand(1)) ||
      !isReadByOne(*compare) || !isReadByOne(*below))
    return false;
  const ElementType type = typeOf(i);
  if (below->opcode() == Opcode::ExponentialMinusOne && below->operand(0) == x) {
    add({.name = "elu", .type = type, .inputs = {*node}, .value = &i, .inner = {compare, below}});
    return true;
  }
  if (below->opcode() != Opcode::Multiply) return false;
  const size_t side = below->operand(0) == x ? 1 : 0;
  const auto slope = repeatedNumber(*below->operand(side));
  // max takes the right one of both where the slope is at most one.
  if (below->operand(1 - side) != x || !slope || !(*slope <= 1) ||
      !below->operand(side)->operand(0)->shape().isScalar())
    return false;
  const size_t from = *node;
  const size_t least = add({.name = "min", .type = type, .inputs = {from}, .outside = compare->operand(1)});
  const size_t scaled =
      add({.name = "scale", .type = type, .inputs = {least}, .outside = below->operand(side)->operand(0)});
  add({.name = "max", .type = type, .inputs = {scaled, from}, .value = &i, .inner = {compare, below}});
  return true;
}

// Of |x|, or of x behind a relu.
bool PointwiseGraph::takeMaximum(Instruction& i) {
  if (!foldsToLargest(i)) return false;
  Instruction* read = i.operand(0);
  const bool isMagnitude = read->opcode() == Opcode::Abs && isReadByOne(*read);
  const size_t* x = nodeOf(isMagnitude ? read->operand(0) : read);
  if (x == nullptr || (!isMagnitude && nodes_[*x].name != "relu")) return false;
  std::vector<Instruction*> inner;
  if (isMagnitude) inner.push_back(read);
  add({.name = std::string(kMaximum), .type = typeOf(i), .inputs = {*x}, .value = &i, .inner = inner});
  return true;
}

// convert(clamp(x)) to the numbers there are: what the operation before it gives.
bool PointwiseGraph::takeCast(Instruction& i) {
  Instruction* clamp = i.operand(0);
  const double largest = largestOf(typeOf(i));
  if (largest == 0 || clamp->opcode() != Opcode::Clamp || !isReadByOne(*clamp) ||
      repeatedNumber(*clamp->operand(0)) != -largest || repeatedNumber(*clamp->operand(2)) != largest)
    return false;
  const size_t* x = nodeOf(clamp->operand(1));
  if (x == nullptr || nodes_[*x].name == kCast || !isReadByOne(*clamp->operand(1))) return false;
  add({.name = std::string(kCast), .type = typeOf(i), .inputs = {*x}, .value = &i, .inner = {clamp}});
  return true;
}

// What the graph reads cannot be made from a result of it.
void PointwiseGraph::dropMaximaThatAreRead() {
  std::vector<Instruction*> read;
  for (const Node& node : nodes_) {
    if (node.outside != nullptr) read.push_back(node.outside);
  }
  for (Node& node : nodes_) {
    if (node.name == kMaximum && leadsToAny(*node.value, read)) node.name.clear();
  }
}

// The nodes that `result` is made of, it itself, and the maxima of any of them.
std::vector<bool> PointwiseGraph::leadingTo(size_t result) const {
  std::vector<bool> taken(nodes_.size());
  taken[result] = true;
  for (size_t n = result + 1; n-- > 0;) {
    if (!taken[n]) continue;
    for (const size_t input : nodes_[n].inputs) taken[input] = true;
  }
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].name == kMaximum && taken[nodes_[n].inputs[0]]) taken[n] = true;
  }
  return taken;
}

// Whether only nodes that are taken read what is computed on the way to the result.
bool PointwiseGraph::isClosed(const std::vector<bool>& taken, size_t result) const {
  absl::flat_hash_set<const Instruction*> within;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (!taken[n]) continue;
    if (nodes_[n].value != nullptr) within.insert(nodes_[n].value);
    within.insert(nodes_[n].inner.begin(), nodes_[n].inner.end());
  }
  for (size_t n = 0; n < nodes_.size(); ++n) {
    const Instruction* value = nodes_[n].value;
    if (!taken[n] || n == result || value == nullptr || nodes_[n].name == kMaximum) continue;
    const bool isRead =
        std::ranges::any_of(value->users(), [&](const Instruction* user) { return !within.contains(user); });
    if (isRead || value->isRoot()) return false;
  }
  return true;
}

PointwiseGraph::Choice PointwiseGraph::choose() const {
  for (size_t n = nodes_.size(); n-- > 0;) {
    if (nodes_[n].value == nullptr || nodes_[n].name == kMaximum || nodes_[n].name.empty()) continue;
    const std::vector<bool> taken = leadingTo(n);
    if (!isClosed(taken, n)) continue;
    Choice choice{.nodes = {}, .result = n, .maxima = {}};
    for (size_t m = 0; m < nodes_.size(); ++m) {
      if (taken[m]) choice.nodes.push_back(m);
      if (taken[m] && nodes_[m].name == kMaximum) choice.maxima.push_back(m);
    }
    return choice;
  }
  return {};
}

std::string PointwiseGraph::text(const Choice& choice) const {
  // A cast is no operation but the type of the one before it.
  absl::flat_hash_map<size_t, size_t> number;
  std::vector<ElementType> types(nodes_.size());
  size_t count = 0;
  for (const size_t n : choice.nodes) {
    types[n] = nodes_[n].type;
    const bool isCast = nodes_[n].name == kCast;
    number[n] = isCast ? number[nodes_[n].inputs[0]] : ++count;
    if (isCast) types[nodes_[n].inputs[0]] = nodes_[n].type;
  }
  std::string text;
  for (const size_t n : choice.nodes) {
    if (nodes_[n].name == kCast) continue;
    std::vector<size_t> inputs;
    for (const size_t input : nodes_[n].inputs) inputs.push_back(number[input]);
    text += fmt::format("{}:[{}]{}({});", number[n], elementTypeName(types[n]), nodes_[n].name,
                        fmt::join(inputs, ","));
  }
  return text;
}

std::vector<Instruction*> PointwiseGraph::outsides(const Choice& choice) const {
  std::vector<Instruction*> read;
  for (const size_t n : choice.nodes) {
    if (nodes_[n].outside != nullptr) read.push_back(nodes_[n].outside);
  }
  return read;
}

}  // namespace hilo
