#include "core/analysis/kernel_layouts/inference/layout_search.h"

#include <algorithm>
#include <set>

#include "core/analysis/kernel_layouts/inference/candidates.h"

namespace hilo::inference {
namespace {

using Kind = SearchOutcome::Kind;

constexpr uint32_t kMostDepth = 2000;  // tries one within the other; each keeps a system

class Search {
 public:
  Search(const SearchLimits& limits, SearchOutcome& outcome) : limits_(limits), outcome_(outcome) {}

  // Reduces the system and searches; its layouts are in `system` when found.
  Kind run(ConstraintSystem& system, const std::vector<VariableId>& variables) {
    if (const auto contradiction = reduceSystem(system, outcome_.trace)) {
      blame(*contradiction, system);
      return Kind::Unsatisfiable;
    }
    std::vector<VariableId> open;
    for (VariableId variable : variables)
      if (!system.known.contains(variable)) open.push_back(variable);
    if (open.empty()) return Kind::Found;
    return tryCandidates(system, open);
  }

 private:
  Kind tryCandidates(ConstraintSystem& system, const std::vector<VariableId>& open) {
    bool hasTried = false;
    for (Candidate& candidate : candidates(system, open)) {
      if (!isPossible(system.variable(candidate.variable), candidate.layout)) continue;
      if (limits_.cancel.cancelled()) return Kind::Cancelled;
      if (outcome_.fuelUsed >= limits_.fuel || outcome_.trace.depth >= kMostDepth) {
        outcome_.open = open;
        return Kind::OutOfFuel;
      }
      ++outcome_.fuelUsed;
      hasTried = true;
      ConstraintSystem tried = system;
      const Kind kind = tryOne(tried, candidate, open);
      if (kind == Kind::Unsatisfiable) continue;
      system = std::move(tried);
      return kind;
    }
    if (!hasTried) blameOpen(system, open);
    return Kind::Unsatisfiable;
  }

  Kind tryOne(ConstraintSystem& tried, const Candidate& candidate, const std::vector<VariableId>& open) {
    InferenceTrace& trace = outcome_.trace;
    note(InferenceStep::Kind::Try, candidate);
    ++trace.depth;
    Cause cause = candidate.cause;
    cause.round = trace.round;
    tried.known.emplace(candidate.variable, SetLayout{candidate.layout, std::move(cause)});
    const Kind kind = run(tried, open);
    --trace.depth;
    if (kind == Kind::Unsatisfiable) note(InferenceStep::Kind::BackOut, candidate);
    return kind;
  }

  void note(InferenceStep::Kind kind, const Candidate& candidate) {
    outcome_.trace.add({.kind = kind,
                        .variable = candidate.variable,
                        .layout = candidate.layout,
                        .origins = candidate.cause.origins});
  }

  void blame(const Contradiction& contradiction, const ConstraintSystem& system) {
    blamed_.insert(contradiction.origins.begin(), contradiction.origins.end());
    for (const auto& [variable, set] : system.known)
      blamed_.insert(set.cause.origins.begin(), set.cause.origins.end());
    outcome_.blamed.assign(blamed_.begin(), blamed_.end());
  }

  // Nothing could be tried: the constraints that are left have no layout to offer.
  void blameOpen(const ConstraintSystem& system, const std::vector<VariableId>& open) {
    outcome_.open = open;
    for (const LayoutConstraint& constraint : system.constraints) blame({constraint.origins, {}}, system);
  }

  const SearchLimits& limits_;
  SearchOutcome& outcome_;
  std::set<uint32_t> blamed_;
};

// Unknown variables that constraints join, directly or through others; groups in the order of their first.
std::vector<std::vector<VariableId>> joined(const ConstraintSystem& system,
                                            const std::vector<VariableId>& open) {
  std::map<VariableId, size_t> groupOf;
  for (size_t i = 0; i < open.size(); ++i) groupOf[open[i]] = i;
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (const LayoutConstraint& constraint : system.constraints) {
      const auto variables = constraint.variables();
      if (variables.size() < 2) continue;
      size_t &a = groupOf[variables[0]], &b = groupOf[variables[1]];
      hasChanged = hasChanged || a != b;
      a = b = std::min(a, b);
    }
  }
  std::map<size_t, std::vector<VariableId>> groups;
  for (VariableId variable : open) groups[groupOf[variable]].push_back(variable);
  std::vector<std::vector<VariableId>> all;
  for (auto& [first, group] : groups) all.push_back(std::move(group));
  return all;
}

ConstraintSystem partOf(const ConstraintSystem& system, const std::vector<VariableId>& group) {
  ConstraintSystem part{
      .variables = system.variables, .smMajor = system.smMajor, .known = {}, .constraints = {}};
  const std::set<VariableId> members(group.begin(), group.end());
  for (const LayoutConstraint& constraint : system.constraints)
    if (members.contains(constraint.variables().at(0))) part.constraints.push_back(constraint);
  return part;
}

}  // namespace

SearchOutcome findLayouts(ConstraintSystem system, const SearchLimits& limits) {
  SearchOutcome outcome;
  outcome.trace.limit = limits.steps;
  Search search(limits, outcome);
  // Without variables of its own the first run only reduces.
  outcome.kind = search.run(system, {});
  if (outcome.kind != Kind::Found) return outcome;
  std::vector<VariableId> open;
  for (VariableId variable = 0; variable < system.variables->size(); ++variable)
    if (!system.known.contains(variable)) open.push_back(variable);
  for (const std::vector<VariableId>& group : joined(system, open)) {
    ConstraintSystem part = partOf(system, group);
    outcome.kind = search.run(part, group);
    if (outcome.kind != Kind::Found) return outcome;
    system.known.merge(part.known);
  }
  outcome.layouts = std::move(system.known);
  return outcome;
}

}  // namespace hilo::inference
