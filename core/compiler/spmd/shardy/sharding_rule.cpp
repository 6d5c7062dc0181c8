#include "core/compiler/spmd/shardy/sharding_rule.h"

#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

ShardingRule::Array emptyArray(Shape shape) {
  return ShardingRule::Array(shape.isArray() ? shape.rank() : 0);
}

bool isDynamic(const Instruction* instruction) { return instruction->shape().isDynamic(); }

void map(ShardingRule::Array& array, int64_t dimension, size_t factor, int64_t size) {
  if (dimension < 0) return;
  ShardingRule::Dimension& factors = array[static_cast<size_t>(dimension)];
  if (size != 1 || factors.empty()) factors.push_back(factor);
}

// Dimensions of operands that no factor has must come together; the result's as well.
void addLeftOver(RuleBuilder& builder, const Instruction& instruction, const OpFactors& factors) {
  const size_t operands = instruction.operandCount();
  const std::vector<Shape> results = leavesOf(instruction.shape());
  for (size_t i = 0; i < operands; ++i) {
    const Shape shape = instruction.operand(i)->shape();
    const auto known = factorOfDimension(factors, i, shape.isArray() ? shape.rank() : 0);
    for (size_t d = 0; d < known.size(); ++d) {
      if (known[d] >= 0) continue;
      std::vector<int64_t> of(operands, -1);
      of[i] = static_cast<int64_t>(d);
      builder.add(of, std::vector<int64_t>(results.size(), -1), shape.dimension(d), RuleFactor::Kind::Whole);
    }
  }
}

// As op_factors.def has it.
std::optional<ShardingRule> ruleOfFactors(const Instruction& instruction) {
  const OpFactors factors = opFactors(instruction);
  const bool hasTuple =
      std::ranges::any_of(instruction.operands(), [](const Instruction* i) { return i->shape().isTuple(); });
  if (!factors.isKnown || hasTuple) return std::nullopt;
  RuleBuilder builder(instruction);
  const size_t results = leavesOf(instruction.shape()).size();
  for (const Factor& factor : factors.factors) {
    const auto kind = factor.kind == Factor::Kind::Sum ? RuleFactor::Kind::Sum : RuleFactor::Kind::Pass;
    builder.add(factor.operands, std::vector<int64_t>(results, factor.result), factor.size, kind);
  }
  addLeftOver(builder, instruction, factors);
  return builder.take();
}

}  // namespace

RuleBuilder::RuleBuilder(const Instruction& instruction) {
  for (const Instruction* operand : instruction.operands())
    rule_.operands.push_back(emptyArray(operand->shape()));
  for (Shape leaf : leavesOf(instruction.shape())) rule_.results.push_back(emptyArray(leaf));
}

RuleBuilder::RuleBuilder(Shape shape, size_t operands) {
  rule_.operands.assign(operands, emptyArray(shape));
  rule_.results.push_back(emptyArray(shape));
}

void RuleBuilder::add(std::span<const int64_t> operands, std::span<const int64_t> results, int64_t size,
                      RuleFactor::Kind kind, bool isBlocked) {
  const size_t factor = rule_.factors.size();
  rule_.factors.push_back({.size = size, .kind = kind, .isBlocked = isBlocked});
  for (size_t i = 0; i < operands.size(); ++i) map(rule_.operands[i], operands[i], factor, size);
  for (size_t i = 0; i < results.size(); ++i) map(rule_.results[i], results[i], factor, size);
}

void RuleBuilder::add(std::initializer_list<int64_t> operands, int64_t result, int64_t size,
                      RuleFactor::Kind kind, bool isBlocked) {
  add(std::span<const int64_t>(operands.begin(), operands.size()), std::span<const int64_t>(&result, 1), size,
      kind, isBlocked);
}

void RuleBuilder::addToAll(int64_t dimension, int64_t size, RuleFactor::Kind kind, bool isBlocked) {
  const auto dimensionsOf = [&](const std::vector<ShardingRule::Array>& arrays) {
    std::vector<int64_t> dimensions;
    for (const auto& array : arrays)
      dimensions.push_back(dimension < static_cast<int64_t>(array.size()) ? dimension : -1);
    return dimensions;
  };
  add(dimensionsOf(rule_.operands), dimensionsOf(rule_.results), size, kind, isBlocked);
}

ShardingRule RuleBuilder::take() {
  for (auto* arrays : {&rule_.operands, &rule_.results}) {
    for (auto& array : *arrays) {
      for (auto& dimension : array) {
        if (!dimension.empty()) continue;
        dimension.push_back(rule_.factors.size());
        rule_.factors.push_back({});
      }
    }
  }
  return std::move(rule_);
}

ShardingRule identityRule(Shape shape, size_t operands) {
  RuleBuilder builder(shape, operands);
  for (size_t d = 0; shape.isArray() && d < shape.rank(); ++d)
    builder.addToAll(static_cast<int64_t>(d), shape.dimension(d));
  return builder.take();
}

std::optional<ShardingRule> shardingRule(const Instruction& instruction) {
  if (isDynamic(&instruction) || std::ranges::any_of(instruction.operands(), isDynamic)) return std::nullopt;
  switch (instruction.opcode()) {
#define RULE(opcode, function) \
  case Opcode::opcode:         \
    return function(instruction);
#include "core/compiler/spmd/shardy/rules.def"
    default:
      return ruleOfFactors(instruction);
  }
}

std::optional<ShardingRule> noRule(const Instruction&) { return std::nullopt; }

}  // namespace hilo::sdy
