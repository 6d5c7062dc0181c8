// Reads sharding rules that a program brings along for its custom calls.
#include <fmt/ranges.h>

#include "core/compiler/spmd/shardy/attribute_scanner.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

constexpr size_t kMostFactors = 4096;

// The factors that "ij", "zz_1" or "z_2z_3" name: i to z are 0 to 17, z_N is 17 + N.
Result<std::vector<size_t>> factorsOf(Scanner& in) {
  const std::string_view word = in.word();
  std::vector<size_t> factors;
  for (size_t at = 0; at < word.size();) {
    const char letter = word[at++];
    if (letter < 'i' || letter > 'z') return in.error("a factor is called i to z, or z_1, z_2, ...");
    size_t factor = static_cast<size_t>(letter - 'i');
    if (letter == 'z' && at < word.size() && word[at] == '_') {
      size_t number = 0;
      for (++at; at < word.size() && word[at] >= '0' && word[at] <= '9' && number < kMostFactors; ++at)
        number = number * 10 + static_cast<size_t>(word[at] - '0');
      factor += number;
    }
    if (factor >= kMostFactors) return in.error("too many factors");
    factors.push_back(factor);
  }
  if (factors.empty()) return in.error("expected a factor");
  return factors;
}

Result<std::vector<ShardingRule::Array>> arraysOf(Scanner& in) {
  std::vector<ShardingRule::Array> arrays;
  TRY_STATUS(in.list("(", ")", [&]() -> Status {
    ShardingRule::Array array;
    TRY_STATUS(in.list("[", "]", [&]() -> Status {
      TRY(auto dimension, factorsOf(in));
      array.push_back(std::move(dimension));
      return {};
    }));
    arrays.push_back(std::move(array));
    return {};
  }));
  return arrays;
}

Status sizesOf(Scanner& in, ShardingRule& rule) {
  if (!in.sees("{")) return {};
  return in.list("{", "}", [&]() -> Status {
    TRY(const auto factor, factorsOf(in));
    if (factor.size() != 1 || factor[0] != rule.factors.size())
      return in.error("sizes of factors are given in their order");
    TRY_STATUS(in.expect("="));
    TRY(const int64_t size, in.number());
    if (size <= 0) return in.error("a factor has no size");
    rule.factors.push_back({.size = size});
    return {};
  });
}

template <typename Mark>
Status mark(Scanner& in, ShardingRule& rule, std::string_view name, Mark set) {
  if (!in.take(name)) return {};
  TRY_STATUS(in.expect("="));
  return in.list("{", "}", [&]() -> Status {
    TRY(const auto factors, factorsOf(in));
    for (size_t factor : factors) {
      if (factor >= rule.factors.size()) return in.error("it names a factor without a size");
      set(rule.factors[factor]);
    }
    return {};
  });
}

// Sizes of a dimension's factors multiplied must be its size.
Status checkArray(const ShardingRule& rule, const ShardingRule::Array& array, Shape shape,
                  const Instruction& owner) {
  const size_t rank = shape.isArray() ? shape.rank() : 0;
  if (array.size() != rank)
    return invalidSharding(&owner, fmt::format("its rule says {} dimensions of {}", array.size(),
                                               toString(shape.withoutLayout())));
  std::vector<bool> used(rule.factors.size(), false);
  for (size_t d = 0; d < rank; ++d) {
    int64_t left = shape.dimension(d);
    for (size_t factor : array[d]) {
      const bool isKnown = factor < rule.factors.size() && !used[factor];
      if (isKnown) used[factor] = true;
      if (!isKnown || left % rule.factors[factor].size != 0)
        return invalidSharding(&owner, fmt::format("its rule does not fit dimension {} of {}", d,
                                                   toString(shape.withoutLayout())));
      left /= rule.factors[factor].size;
    }
    if (left > 1 || (left == 0 && shape.dimension(d) != 0))
      return invalidSharding(&owner, fmt::format("the factors of dimension {} of its rule do not make {}", d,
                                                 shape.dimension(d)));
  }
  return {};
}

std::string factorName(size_t factor) {
  return factor < 18 ? std::string(1, static_cast<char>('i' + factor)) : fmt::format("z_{}", factor - 17);
}

std::string arraysText(const std::vector<ShardingRule::Array>& arrays) {
  std::vector<std::string> texts;
  for (const ShardingRule::Array& array : arrays) {
    std::vector<std::string> dimensions;
    for (const ShardingRule::Dimension& dimension : array) {
      std::string& text = dimensions.emplace_back();
      for (size_t factor : dimension) text += factorName(factor);
    }
    texts.push_back(fmt::format("[{}]", fmt::join(dimensions, ", ")));
  }
  return fmt::format("({})", fmt::join(texts, ", "));
}

template <typename Has>
std::string marked(const ShardingRule& rule, std::string_view name, Has has) {
  std::vector<std::string> factors;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    if (has(rule.factors[f])) factors.push_back(factorName(f));
  }
  return factors.empty() ? "" : fmt::format(" {}={{{}}}", name, fmt::join(factors, ", "));
}

}  // namespace

std::string toString(const ShardingRule& rule) {
  using Kind = RuleFactor::Kind;
  std::vector<std::string> sizes;
  for (size_t f = 0; f < rule.factors.size(); ++f)
    sizes.push_back(fmt::format("{}={}", factorName(f), rule.factors[f].size));
  std::string text = arraysText(rule.operands) + "->" + arraysText(rule.results);
  if (!sizes.empty()) text += fmt::format(" {{{}}}", fmt::join(sizes, ", "));
  text += marked(rule, "reduction", [](const RuleFactor& f) { return f.kind == Kind::Sum; });
  text += marked(rule, "need_replication", [](const RuleFactor& f) { return f.kind == Kind::Whole; });
  text += marked(rule, "permutation", [](const RuleFactor& f) { return f.kind == Kind::Permute; });
  text += marked(rule, "blocked_propagation", [](const RuleFactor& f) { return f.isBlocked; });
  return "#sdy.op_sharding_rule<" + text + ">";
}

Result<ShardingRule> readRule(std::string_view text, const Instruction& owner) {
  Scanner in(text, &owner);
  ShardingRule rule;
  TRY_STATUS(in.expect("#sdy.op_sharding_rule<"));
  TRY(rule.operands, arraysOf(in));
  TRY_STATUS(in.expect("->"));
  TRY(rule.results, arraysOf(in));
  TRY_STATUS(sizesOf(in, rule));
  using Kind = RuleFactor::Kind;
  TRY_STATUS(mark(in, rule, "reduction", [](RuleFactor& f) { f.kind = Kind::Sum; }));
  TRY_STATUS(mark(in, rule, "need_replication", [](RuleFactor& f) { f.kind = Kind::Whole; }));
  TRY_STATUS(mark(in, rule, "permutation", [](RuleFactor& f) { f.kind = Kind::Permute; }));
  TRY_STATUS(mark(in, rule, "blocked_propagation", [](RuleFactor& f) { f.isBlocked = true; }));
  if (in.take(",")) TRY_STATUS(in.expect("custom"));
  TRY_STATUS(in.expect(">"));
  TRY_STATUS(in.expectEnd());
  const std::vector<Shape> results = leavesOf(owner.shape());
  if (rule.operands.size() != owner.operandCount() || rule.results.size() != results.size())
    return invalidSharding(&owner, "its rule has another number of operands or results");
  for (size_t i = 0; i < rule.operands.size(); ++i)
    TRY_STATUS(checkArray(rule, rule.operands[i], owner.operand(i)->shape(), owner));
  for (size_t i = 0; i < rule.results.size(); ++i)
    TRY_STATUS(checkArray(rule, rule.results[i], results[i], owner));
  return rule;
}

}  // namespace hilo::sdy
