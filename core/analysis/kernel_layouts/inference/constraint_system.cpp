#include "core/analysis/kernel_layouts/inference/constraint_system.h"

#include <algorithm>
#include <set>

#include "core/analysis/kernel_layouts/inference/has_item.h"
#include "core/base/check.h"

namespace hilo::inference {
namespace {

void substitute(LayoutExpression& expression, const std::map<VariableId, SetLayout>& known) {
  const auto variable = expression.unknown();
  if (!variable) return;
  if (const auto at = known.find(*variable); at != known.end()) expression.leaf = at->second.layout;
}

// "variable equals constant", whichever way round; nothing of other constraints.
struct Assignment {
  VariableId variable;
  const LayoutConstant* layout;
};
std::optional<Assignment> assignmentOf(const LayoutConstraint& constraint) {
  if (!std::holds_alternative<Equals>(constraint.relation)) return std::nullopt;
  const LayoutExpression& second = *constraint.second;
  if (const auto variable = constraint.first.variable(); variable && second.constant())
    return Assignment{*variable, second.constant()};
  if (const auto variable = second.variable(); variable && constraint.first.constant())
    return Assignment{*variable, constraint.first.constant()};
  return std::nullopt;
}

// The constraints that say so of this variable.
std::vector<uint32_t> notSplatOrigins(const std::vector<LayoutConstraint>& constraints, VariableId variable) {
  std::vector<uint32_t> origins;
  for (const LayoutConstraint& constraint : constraints) {
    const auto* relation = std::get_if<NotOfKind>(&constraint.relation);
    if (relation && relation->kind == RegisterKind::Splat && constraint.first.variable() == variable)
      origins.insert(origins.end(), constraint.origins.begin(), constraint.origins.end());
  }
  return origins;
}

void addOrigins(std::vector<uint32_t>& origins, const std::vector<uint32_t>& more) {
  for (uint32_t origin : more)
    if (!hasItem(origins, origin)) origins.push_back(origin);
}

void mergeDivides(std::vector<LayoutConstraint>& constraints) {
  std::vector<LayoutConstraint> kept, divides;
  for (LayoutConstraint& constraint : constraints) {
    const auto* relation = std::get_if<Divides>(&constraint.relation);
    const auto variable = constraint.first.variable();
    if (!relation || !variable || constraint.isProposal) {
      kept.push_back(std::move(constraint));
      continue;
    }
    const auto same = std::ranges::find_if(
        divides, [&](const LayoutConstraint& other) { return other.first.variable() == variable; });
    if (same == divides.end()) {
      divides.push_back(std::move(constraint));
      continue;
    }
    same->relation = merged(std::get<Divides>(same->relation), *relation);
    addOrigins(same->origins, constraint.origins);
  }
  std::ranges::move(divides, std::back_inserter(kept));
  constraints = std::move(kept);
}

std::set<VariableId> notSplats(const std::vector<LayoutConstraint>& constraints) {
  std::set<VariableId> all;
  for (const LayoutConstraint& constraint : constraints) {
    const auto* relation = std::get_if<NotOfKind>(&constraint.relation);
    const auto variable = constraint.first.variable();
    if (relation && relation->kind == RegisterKind::Splat && variable && !constraint.isProposal)
      all.insert(*variable);
  }
  return all;
}

class Round {
 public:
  Round(ConstraintSystem& system, InferenceTrace& trace) : system_(system), trace_(trace) {}

  // One pass over the constraints; layouts set on the way count for those behind.
  std::optional<Contradiction> pass() {
    ++trace_.round;
    for (LayoutConstraint& constraint : system_.constraints)
      if (auto contradiction = take(constraint)) return contradiction;
    const size_t before = left_.size();
    mergeDivides(left_);
    hasChanged_ = hasChanged_ || left_.size() != before;
    system_.constraints = std::move(left_);
    return splatOfNotSplat();
  }
  bool hasChanged() const { return hasChanged_; }

 private:
  std::optional<Contradiction> take(LayoutConstraint& constraint) {
    LayoutConstraint reduced = constraint;
    substitute(reduced.first, system_.known);
    if (reduced.second) substitute(*reduced.second, system_.known);
    if (!reduceConstraint(reduced)) return reject(constraint);
    if (reduced.isProposal) return propose(std::move(reduced), constraint);
    if (isTautology(reduced)) return drop(reduced);
    if (const auto assignment = assignmentOf(reduced)) return set(*assignment, constraint);
    if (const auto holding = holds(reduced, system_.smMajor))
      return *holding ? drop(reduced) : reject(constraint);
    // A step that nothing known can do, and no variable is left to change that.
    if (reduced.variables().empty()) return reject(constraint);
    hasChanged_ = hasChanged_ || !reduced.says(constraint);
    left_.push_back(std::move(reduced));
    return std::nullopt;
  }

  std::optional<Contradiction> propose(LayoutConstraint reduced, const LayoutConstraint& before) {
    hasChanged_ = hasChanged_ || !reduced.says(before);
    if (!reduced.variables().empty()) left_.push_back(std::move(reduced));
    return std::nullopt;
  }

  std::optional<Contradiction> drop(const LayoutConstraint& constraint) {
    hasChanged_ = true;
    trace_.add({.kind = InferenceStep::Kind::Satisfied,
                .variable = {},
                .layout = {},
                .origins = constraint.origins});
    return std::nullopt;
  }

  std::optional<Contradiction> set(const Assignment& assignment, const LayoutConstraint& constraint) {
    if (!isPossible(system_.variable(assignment.variable), *assignment.layout)) return reject(constraint);
    hasChanged_ = true;
    system_.known.emplace(
        assignment.variable,
        SetLayout{*assignment.layout, {Cause::Kind::Follows, constraint.origins, trace_.round}});
    trace_.add({.kind = InferenceStep::Kind::Set,
                .variable = assignment.variable,
                .layout = *assignment.layout,
                .origins = constraint.origins});
    return std::nullopt;
  }

  std::optional<Contradiction> reject(const LayoutConstraint& constraint) {
    if (constraint.isProposal) return std::nullopt;
    trace_.add(
        {.kind = InferenceStep::Kind::Conflict, .variable = {}, .layout = {}, .origins = constraint.origins});
    return Contradiction{constraint.origins, constraint.variables()};
  }

  // No relayout makes a splat of another layout: said before it is known which other one.
  std::optional<Contradiction> splatOfNotSplat() {
    const std::set<VariableId> notSplat = notSplats(system_.constraints);
    for (const LayoutConstraint& constraint : system_.constraints) {
      if (!std::holds_alternative<Relayout>(constraint.relation) || constraint.isProposal) continue;
      const auto from = constraint.first.variable();
      const LayoutConstant* to = constraint.second->constant();
      if (!from || !to || !asSplat(*to) || !notSplat.contains(*from)) continue;
      Contradiction contradiction{constraint.origins, {*from}};
      addOrigins(contradiction.origins, notSplatOrigins(system_.constraints, *from));
      trace_.add({.kind = InferenceStep::Kind::Conflict,
                  .variable = {},
                  .layout = {},
                  .origins = contradiction.origins});
      return contradiction;
    }
    return std::nullopt;
  }

  ConstraintSystem& system_;
  InferenceTrace& trace_;
  std::vector<LayoutConstraint> left_;
  bool hasChanged_ = false;
};

// Root of each variable's class under the equalities between variables alone.
VariableId rootOf(std::map<VariableId, VariableId>& parents, VariableId variable) {
  const auto [at, isNew] = parents.emplace(variable, variable);
  if (isNew || at->second == variable) return variable;
  const VariableId root = rootOf(parents, at->second);
  return parents[variable] = root;
}

}  // namespace

void InferenceTrace::add(InferenceStep step) {
  if (steps.size() >= limit) return;
  step.round = round;
  step.depth = depth;
  steps.push_back(std::move(step));
}

std::vector<VariableId> ConstraintSystem::unknowns() const {
  std::vector<VariableId> all;
  std::set<VariableId> seen;
  for (const LayoutConstraint& constraint : constraints)
    for (VariableId variable : constraint.variables())
      if (!known.contains(variable) && seen.insert(variable).second) all.push_back(variable);
  return all;
}

std::optional<Contradiction> reduceSystem(ConstraintSystem& system, InferenceTrace& trace) {
  CHECK(system.variables, "a system has variables");
  for (bool hasChanged = true; hasChanged;) {
    Round round(system, trace);
    if (auto contradiction = round.pass()) return contradiction;
    hasChanged = round.hasChanged();
  }
  return std::nullopt;
}

void spreadNotSplat(ConstraintSystem& system) {
  std::set<VariableId> notSplat = notSplats(system.constraints);
  for (bool hasFound = !notSplat.empty(); hasFound;) {
    hasFound = false;
    const size_t count = system.constraints.size();
    for (size_t i = 0; i < count; ++i) {
      if (!std::holds_alternative<Relayout>(system.constraints[i].relation) ||
          system.constraints[i].isProposal)
        continue;
      const auto from = system.constraints[i].first.variable();
      const auto to = system.constraints[i].second->variable();
      if (!from || !to || !notSplat.contains(*from) || !notSplat.insert(*to).second) continue;
      hasFound = true;
      LayoutConstraint follows = about(*to, NotOfKind{RegisterKind::Splat});
      follows.origins = system.constraints[i].origins;
      addOrigins(follows.origins, notSplatOrigins(system.constraints, *from));
      system.constraints.push_back(std::move(follows));
    }
  }
}

void strictRelayoutsToEquals(ConstraintSystem& system) {
  const std::set<VariableId> notSplat = notSplats(system.constraints);
  for (LayoutConstraint& constraint : system.constraints) {
    const auto* relation = std::get_if<Relayout>(&constraint.relation);
    const auto from = constraint.first.variable();
    if (!relation || !relation->isStrict || !from || !notSplat.contains(*from) || constraint.isProposal)
      continue;
    constraint.relation = Equals{};
    addOrigins(constraint.origins, notSplatOrigins(system.constraints, *from));
  }
}

void spreadDivides(ConstraintSystem& system) {
  std::map<VariableId, VariableId> parents;
  for (const LayoutConstraint& constraint : system.constraints) {
    if (!std::holds_alternative<Equals>(constraint.relation) || constraint.isProposal) continue;
    const auto a = constraint.first.variable(), b = constraint.second->variable();
    if (a && b) parents[rootOf(parents, *b)] = rootOf(parents, *a);
  }
  std::vector<LayoutConstraint> spread;
  for (const LayoutConstraint& constraint : system.constraints) {
    spread.push_back(constraint);
    const auto variable = constraint.first.variable();
    if (!std::holds_alternative<Divides>(constraint.relation) || constraint.isProposal || !variable ||
        !parents.contains(*variable))
      continue;
    for (const auto& [other, parent] : std::map(parents)) {
      if (other == *variable || rootOf(parents, other) != rootOf(parents, *variable)) continue;
      spread.push_back(constraint);
      spread.back().first = other;
    }
  }
  mergeDivides(spread);
  system.constraints = std::move(spread);
}

}  // namespace hilo::inference
