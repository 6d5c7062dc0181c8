#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/analysis/query/query.h"
#include "core/analysis/query/query_node.h"
#include "core/analysis/query/query_path.h"
#include "core/analysis/query/query_sharding.h"
#include "core/analysis/unstable_reduction.h"
#include "core/analysis/while_loop.h"
#include "core/analysis/work_class.h"
#include "core/hlo/ir/computation.h"

namespace hilo {
namespace {

using Kind = QueryNode::Kind;

bool compare(double value, Comparison comparison, double with) {
  switch (comparison) {
    case Comparison::Less:
      return value < with;
    case Comparison::LessEqual:
      return value <= with;
    case Comparison::Greater:
      return value > with;
    case Comparison::GreaterEqual:
      return value >= with;
    case Comparison::Equal:
      return value == with;
    case Comparison::NotEqual:
      return value != with;
  }
  return false;
}

bool hasType(Shape shape, ElementType type) {
  if (shape.elementType() == type) return true;
  return std::ranges::any_of(shape.tupleShapes(), [&](Shape element) { return hasType(element, type); });
}

bool isAsync(const Instruction& instruction) {
  return opcodeClass(instruction.opcode()) == OpcodeClass::Async ||
         instruction.opcodeText().ends_with("-start") || instruction.opcodeText().ends_with("-done");
}

bool matchesIs(QueryIs is, const Instruction& i) {
  switch (is) {
    case QueryIs::Root:
      return i.isRoot();
    case QueryIs::Entry:
      return i.parent().isEntry();
    case QueryIs::Dead:
      return i.users().empty() && !i.isRoot() && i.opcode() != Opcode::Parameter;
    case QueryIs::Scalar:
      return i.shape().isScalar();
    case QueryIs::Tuple:
      return i.shape().isTuple();
    case QueryIs::Dynamic:
      return i.shape().isDynamic();
    case QueryIs::Elementwise:
      return isElementwise(i.opcode());
    case QueryIs::Async:
      return isAsync(i);
    case QueryIs::Unstable:
      return isUnstableReduction(i);
    case QueryIs::Fused:
      return false;  // answered by the matcher, which knows who calls
  }
  return false;
}

// The file of the metadata, else of the innermost stack frame; and its line.
SourceFrame sourceOf(const Instruction& instruction) {
  const OpMetadata* metadata = instruction.get<Attr::Metadata>();
  if (metadata == nullptr) return {};
  if (!metadata->sourceFile.empty()) return {.file = metadata->sourceFile, .line = metadata->sourceLine};
  if (metadata->stackFrameId == 0) return {};
  const auto stack = sourceStack(instruction.module().stackFrames(), metadata->stackFrameId);
  return stack.empty() ? SourceFrame{} : stack.front();
}

bool matchesSource(const TextPattern& pattern, const Instruction& instruction) {
  const SourceFrame source = sourceOf(instruction);
  if (source.file.empty()) return false;
  return pattern.matches(source.file) || pattern.matches(fmt::format("{}:{}", source.file, source.line));
}

}  // namespace

struct QueryMatcher::Impl {
  Query query;
  const Module& module;
  const ModuleCost* cost;
  std::optional<ModuleCost> ownCost;
  // For each In term, by computation id: is it or a caller of it a match.
  std::vector<std::optional<std::vector<bool>>> inside;
  std::optional<std::vector<bool>> fused;  // by computation id
  ShardingFacts shardings{module};
  // For each Path term, by instruction id.
  std::vector<std::optional<std::vector<bool>>> onPath;

  const CostFacts& costOf(const Instruction& instruction) {
    if (cost == nullptr) cost = &ownCost.emplace(module);
    return cost->of(instruction);
  }

  uint32_t computationLimit() const {
    uint32_t limit = 0;
    for (const Computation* c : module.computations()) limit = std::max(limit, c->id().value + 1);
    return limit;
  }

  // Marks what is reachable by calls from the computations already marked.
  void spreadToCallees(std::vector<bool>& marked) const {
    std::vector<const Computation*> open;
    for (const Computation* c : module.computations()) {
      if (marked[c->id().value]) open.push_back(c);
    }
    while (!open.empty()) {
      const Computation* computation = open.back();
      open.pop_back();
      for (const Instruction* instruction : computation->instructions()) {
        for (const Computation* callee : instruction->calledComputations()) {
          if (callee == nullptr || callee->id().value >= marked.size() || marked[callee->id().value])
            continue;
          marked[callee->id().value] = true;
          open.push_back(callee);
        }
      }
    }
  }

  bool isInside(const QueryNode& node, const Computation& computation) {
    if (node.inIndex >= inside.size()) inside.resize(node.inIndex + 1);
    auto& marked = inside[node.inIndex];
    if (!marked) {
      marked.emplace(computationLimit());
      for (const Computation* c : module.computations())
        (*marked)[c->id().value] = node.pattern.matches(c->name());
      spreadToCallees(*marked);
    }
    return (*marked)[computation.id().value];
  }

  bool isFused(const Computation& computation) {
    if (!fused) {
      fused.emplace(computationLimit());
      for (const Computation* c : module.computations()) {
        for (const Instruction* i : c->instructions()) {
          const Computation* body = i->opcode() == Opcode::Fusion ? i->get<Attr::Calls>() : nullptr;
          if (body != nullptr && body->id().value < fused->size()) (*fused)[body->id().value] = true;
        }
      }
      spreadToCallees(*fused);
    }
    return (*fused)[computation.id().value];
  }

  bool isOnPath(const QueryNode& node, const Instruction& instruction) {
    if (node.pathIndex >= onPath.size()) onPath.resize(node.pathIndex + 1);
    if (!onPath[node.pathIndex]) {
      // Ends may be paths themselves, so the table may grow meanwhile.
      auto marked = instructionsOnPath(
          module, [&](const Instruction& i) { return matches(node.children[0], i); },
          [&](const Instruction& i) { return matches(node.children[1], i); });
      onPath[node.pathIndex] = std::move(marked);
    }
    return (*onPath[node.pathIndex])[instruction.id().value];
  }

  static bool namesRelated(const QueryNode& node, const Instruction& related) {
    return node.pattern.matches(related.opcodeText()) || node.pattern.matches(related.name());
  }

  bool matchesText(const QueryNode& node, const Instruction& i) {
    const TextPattern& p = node.pattern;
    switch (node.field) {
      case QueryField::Opcode:
        return node.opcode ? i.opcode() == *node.opcode : p.matches(i.opcodeText());
      case QueryField::Name:
        return p.matches(i.name());
      case QueryField::OpName:
        return p.matches(i.opName());
      case QueryField::OpType: {
        const OpMetadata* metadata = i.get<Attr::Metadata>();
        return metadata != nullptr && p.matches(metadata->opType);
      }
      case QueryField::Source:
        return matchesSource(p, i);
      case QueryField::Computation:
        return p.matches(i.parent().name());
      case QueryField::In:
        return isInside(node, i.parent());
      case QueryField::Operand:
        return std::ranges::any_of(i.operands(), [&](const auto* o) { return namesRelated(node, *o); });
      case QueryField::User:
        return std::ranges::any_of(i.users(), [&](const auto* u) { return namesRelated(node, *u); });
      case QueryField::Calls:
        return std::ranges::any_of(i.calledComputations(),
                                   [&](const auto* c) { return c && p.matches(c->name()); });
      case QueryField::Target:
        return i.has(Attr::CustomCallTarget) && p.matches(i.get<Attr::CustomCallTarget>());
      case QueryField::Sharding:
        return shardings.hasSharding(p, i);
      case QueryField::Axis:
        return shardings.runsAlong(p, i);
      case QueryField::Reshard:
        return ShardingFacts::isReshard(p, i);
      case QueryField::Class:
        return p.matches(opcodeClassName(opcodeClass(i.opcode()))) ||
               p.matches(opcodeClassName(workClass(i)));
      default:
        return false;
    }
  }

  // nullopt: the instruction has no such number, so no comparison holds.
  std::optional<double> numberOf(QueryField field, const Instruction& i) {
    const auto optional = [](auto value) { return value ? std::optional<double>(*value) : std::nullopt; };
    switch (field) {
      case QueryField::Bytes:
        return static_cast<double>(i.shape().byteSize());
      case QueryField::Accessed:
        return static_cast<double>(costOf(i).bytesAccessed);
      case QueryField::Flops:
        return static_cast<double>(costOf(i).flops);
      case QueryField::Transcendentals:
        return static_cast<double>(costOf(i).transcendentals);
      case QueryField::Operands:
        return static_cast<double>(i.operandCount());
      case QueryField::Users:
        return static_cast<double>(i.users().size());
      case QueryField::Rank:
        return i.shape().isArray() ? std::optional<double>(i.shape().rank()) : std::nullopt;
      case QueryField::Elements:
        return i.shape().isArray() ? std::optional<double>(i.shape().elementCount()) : std::nullopt;
      case QueryField::Channel:
        return optional(i.get<Attr::ChannelId>());
      case QueryField::Id:
        return i.id().value;
      case QueryField::Line: {
        const SourceFrame source = sourceOf(i);
        return source.line > 0 ? std::optional<double>(source.line) : std::nullopt;
      }
      case QueryField::Parameter:
        return optional(i.get<Attr::ParameterNumber>());
      case QueryField::TripCount: {
        const int64_t trips = i.opcode() == Opcode::While ? tripCount(i).value_or(-1) : -1;
        return trips >= 0 ? std::optional<double>(trips) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  bool matches(const QueryNode& node, const Instruction& i) {
    const auto holds = [&](const QueryNode& child) { return matches(child, i); };
    switch (node.kind) {
      case Kind::All:
        return true;
      case Kind::And:
        return std::ranges::all_of(node.children, holds);
      case Kind::Or:
        return std::ranges::any_of(node.children, holds);
      case Kind::Not:
        return !holds(node.children[0]);
      case Kind::AnyText:
        return node.pattern.matches(i.name()) || node.pattern.matches(i.opcodeText()) ||
               node.pattern.matches(i.opName());
      case Kind::Text:
        return matchesText(node, i);
      case Kind::Related: {
        const auto related = node.field == QueryField::Operand ? i.operands() : i.users();
        return std::ranges::any_of(related,
                                   [&](const auto* other) { return matches(node.children[0], *other); });
      }
      case Kind::Path:
        return isOnPath(node, i);
      case Kind::Number: {
        const auto value = numberOf(node.field, i);
        return value && compare(*value, node.comparison, node.number);
      }
      case Kind::Type:
        return hasType(i.shape(), node.type);
      case Kind::Shape:
        return node.shape.matches(i.shape());
      case Kind::Has:
        return std::ranges::any_of(node.attributes, [&](Attr attr) { return i.has(attr); });
      case Kind::Is:
        return node.is == QueryIs::Fused ? isFused(i.parent()) : matchesIs(node.is, i);
    }
    return false;
  }
};

QueryMatcher::QueryMatcher(Query query, const Module& module, const ModuleCost* cost)
    : impl_(new Impl{.query = std::move(query), .module = module, .cost = cost}) {}
QueryMatcher::~QueryMatcher() = default;

bool QueryMatcher::matches(const Instruction& instruction) {
  return impl_->matches(impl_->query.root(), instruction);
}

std::vector<const Instruction*> QueryMatcher::all(size_t limit) {
  std::vector<const Instruction*> found;
  for (const Computation* computation : impl_->module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (found.size() >= limit) return found;
      if (matches(*instruction)) found.push_back(instruction);
    }
  }
  return found;
}

}  // namespace hilo
