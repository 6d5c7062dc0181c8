#include "core/analysis/indexing/indexing_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace hilo {

using Kind = IndexVariable::Kind;

std::vector<IndexRange> IndexingMap::ranges() const {
  std::vector<IndexRange> all;
  for (const IndexVariable& variable : variables) all.push_back(variable.range);
  return all;
}

size_t IndexingMap::dimensionCount() const {
  return static_cast<size_t>(std::ranges::count(variables, Kind::Dimension, &IndexVariable::kind));
}

size_t IndexingMap::addVariable(IndexVariable variable) {
  variables.push_back(std::move(variable));
  return variables.size() - 1;
}

bool IndexingMap::isEmpty() const {
  const auto all = ranges();
  return std::ranges::any_of(all, &IndexRange::isEmpty) ||
         std::ranges::any_of(constraints, [&](const IndexConstraint& constraint) {
           const IndexRange possible = constraint.expression.range(all);
           return possible.upper < constraint.range.lower || possible.lower > constraint.range.upper;
         });
}

bool IndexingMap::isDefinedAt(std::span<const int64_t> values) const {
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].range.contains(values[i])) return false;
  }
  return std::ranges::all_of(constraints, [&](const IndexConstraint& constraint) {
    return constraint.range.contains(constraint.expression.evaluate(values));
  });
}

IndexingMap identityMap(std::span<const int64_t> sizes) {
  IndexingMap map;
  for (const int64_t size : sizes)
    map.results.push_back(AffineExpression::variable(map.addVariable({.range = {0, size - 1}})));
  return map;
}

namespace {

// Constraints on a variable alone narrow its range.
void narrowRanges(IndexingMap& map) {
  for (const IndexConstraint& constraint : map.constraints) {
    const auto terms = constraint.expression.terms();
    if (terms.size() != 1 || terms[0].factor != 1 || terms[0].atom.kind != AffineExpression::Kind::Variable)
      continue;
    IndexVariable& variable = map.variables[static_cast<size_t>(terms[0].atom.number)];
    if (variable.kind == Kind::Runtime) continue;
    const AffineExpression lower = AffineExpression(constraint.range.lower) -
                                   AffineExpression(constraint.expression.constant()),
                           upper = AffineExpression(constraint.range.upper) -
                                   AffineExpression(constraint.expression.constant());
    variable.range.lower = std::max(variable.range.lower, lower.constant());
    variable.range.upper = std::min(variable.range.upper, upper.constant());
  }
}

void simplifyConstraints(IndexingMap& map) {
  const auto ranges = map.ranges();
  if (std::ranges::any_of(ranges, &IndexRange::isEmpty)) return;
  std::vector<IndexConstraint> kept;
  for (IndexConstraint& constraint : map.constraints) {
    constraint.expression = constraint.expression.simplified(ranges);
    if (constraint.range.contains(constraint.expression.range(ranges))) continue;
    if (std::ranges::find(kept, constraint) == kept.end()) kept.push_back(std::move(constraint));
  }
  map.constraints = std::move(kept);
}

bool isUsed(const IndexingMap& map, size_t number) {
  const auto uses = [&](const AffineExpression& expression) { return expression.uses(number); };
  return std::ranges::any_of(map.results, uses) ||
         std::ranges::any_of(map.constraints, uses, &IndexConstraint::expression) ||
         std::ranges::any_of(map.variables, [&](const IndexVariable& variable) {
           return std::ranges::any_of(variable.place, uses);
         });
}

// Variables other than dimensions that nothing needs; the rest are numbered anew.
void dropUnused(IndexingMap& map) {
  std::vector<AffineExpression> by(map.variables.size());
  std::vector<IndexVariable> kept;
  for (size_t i = 0; i < map.variables.size(); ++i) {
    const IndexVariable& variable = map.variables[i];
    if (variable.kind != Kind::Dimension && !variable.range.isEmpty() && !isUsed(map, i)) continue;
    by[i] = AffineExpression::variable(kept.size());
    kept.push_back(variable);
  }
  if (kept.size() == map.variables.size()) return;
  map.variables = std::move(kept);
  for (IndexVariable& variable : map.variables) {
    for (AffineExpression& place : variable.place) place = place.replaced(by);
  }
  for (AffineExpression& result : map.results) result = result.replaced(by);
  for (IndexConstraint& constraint : map.constraints)
    constraint.expression = constraint.expression.replaced(by);
}

}  // namespace

void simplifyWithin(IndexingMap& map) {
  simplifyConstraints(map);
  const auto ranges = map.ranges();
  if (std::ranges::any_of(ranges, &IndexRange::isEmpty)) return;
  for (AffineExpression& result : map.results) result = result.simplified(ranges);
  for (IndexVariable& variable : map.variables) {
    for (AffineExpression& place : variable.place) place = place.simplified(ranges);
  }
}

void simplify(IndexingMap& map) {
  if (map.isEmpty()) return;
  simplifyConstraints(map);
  narrowRanges(map);
  simplifyWithin(map);
  dropUnused(map);
}

IndexingMap composed(const IndexingMap& outer, const IndexingMap& inner) {
  CHECK(inner.dimensionCount() == outer.results.size());
  IndexingMap map{outer.variables, {}, outer.constraints};
  std::vector<AffineExpression> by(inner.variables.size());
  size_t dimension = 0;
  for (size_t i = 0; i < inner.variables.size(); ++i) {
    const IndexVariable& variable = inner.variables[i];
    if (variable.kind != Kind::Dimension) continue;
    by[i] = outer.results[dimension++];
    map.constraints.push_back({by[i], variable.range});
  }
  for (size_t i = 0; i < inner.variables.size(); ++i) {
    const IndexVariable& variable = inner.variables[i];
    if (variable.kind == Kind::Dimension) continue;
    IndexVariable own = variable;
    for (AffineExpression& place : own.place) place = place.replaced(by);
    by[i] = AffineExpression::variable(map.addVariable(std::move(own)));
  }
  for (const AffineExpression& result : inner.results) map.results.push_back(result.replaced(by));
  for (const IndexConstraint& constraint : inner.constraints)
    map.constraints.push_back({constraint.expression.replaced(by), constraint.range});
  simplify(map);
  return map;
}

std::string toString(const IndexingMap& map) {
  std::vector<std::string> names, dimensions, others;
  size_t symbols = 0, reads = 0;
  for (const IndexVariable& variable : map.variables) {
    const bool isDimension = variable.kind == Kind::Dimension;
    names.push_back(isDimension                     ? fmt::format("d{}", dimensions.size())
                    : variable.kind == Kind::Symbol ? fmt::format("s{}", symbols++)
                                                    : fmt::format("rt{}", reads++));
    (isDimension ? dimensions : others).push_back(names.back());
  }
  const auto texts = [&](const std::vector<AffineExpression>& expressions) {
    std::vector<std::string> all;
    for (const AffineExpression& expression : expressions) all.push_back(expression.text(names));
    return fmt::format("({})", fmt::join(all, ", "));
  };
  std::string out = fmt::format("({})", fmt::join(dimensions, ", "));
  if (!others.empty()) out += fmt::format("[{}]", fmt::join(others, ", "));
  if (map.isEmpty()) return out + " -> nothing";
  out += " -> " + texts(map.results);
  for (size_t i = 0; i < map.variables.size(); ++i) {
    const IndexVariable& variable = map.variables[i];
    out += fmt::format(", {} in [{}, {}]", names[i], variable.range.lower, variable.range.upper);
    if (variable.read != nullptr)
      out += fmt::format(" = %{}{}", variable.read->name(), texts(variable.place));
  }
  for (const IndexConstraint& constraint : map.constraints) {
    out += fmt::format(", {} in [{}, {}]", constraint.expression.text(names), constraint.range.lower,
                       constraint.range.upper);
  }
  return out;
}

}  // namespace hilo
