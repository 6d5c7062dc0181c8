#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/check.h"

namespace hilo::inference {
namespace {

using Kind = SearchOutcome::Kind;

std::vector<LayoutConstraint> constraintsOf(const DerivedConstraints& derived) {
  std::vector<LayoutConstraint> constraints;
  for (const KernelConstraint& one : derived.constraints) constraints.push_back(one.constraint);
  return constraints;
}

std::string namesOf(const std::vector<VariableId>& variables, const KernelLayouts& layouts) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min<size_t>(variables.size(), 5); ++i)
    names.push_back(layouts.derived.variables[variables[i]].name);
  return fmt::format("{}{}", fmt::join(names, "; "), variables.size() > 5 ? "; ..." : "");
}

Diagnostic conflictDiagnostic(const KernelDescription& kernel, const KernelLayouts& layouts) {
  const LayoutConflict& conflict = layouts.conflict;
  Diagnostic why{Severity::kError, "kernel-layout-conflict", "", {}, {}};
  if (conflict.constraints.empty()) {
    why.message = "nothing proposes a layout that fits: " + namesOf(layouts.outcome.open, layouts);
    why.notes.push_back("a layout_cast says which one it is");
    return why;
  }
  why.message = fmt::format("{} constraints cannot hold together{}", conflict.constraints.size(),
                            conflict.isMinimal ? "" : "; perhaps fewer of them cannot either");
  for (uint32_t number : conflict.constraints) {
    const KernelConstraint& one = layouts.derived.constraints[number];
    const KernelOp& op = kernel.ops[one.op];
    const std::string line = op.line == 0 ? "" : fmt::format("line {}, ", op.line);
    why.notes.push_back(
        fmt::format("{}{}: {}", line, op.opcode, toString(one.constraint, layouts.derived.variables)));
    if (why.place.line == 0) why.place.line = op.line;
  }
  return why;
}

}  // namespace

std::vector<std::pair<ValueSite, LayoutConstant>> KernelLayouts::layoutsOf(OpId op,
                                                                           ValueSite::Kind kind) const {
  std::vector<std::pair<ValueSite, LayoutConstant>> all;
  for (auto at = derived.variableAt.lower_bound({op, kind, 0, -1}); at != derived.variableAt.end(); ++at) {
    if (at->first.op != op || at->first.kind != kind) break;
    if (const auto set = outcome.layouts.find(at->second); set != outcome.layouts.end())
      all.emplace_back(at->first, set->second.layout);
  }
  return all;
}

Result<KernelLayouts> inferLayouts(const KernelDescription& kernel, const SearchLimits& limits) {
  KernelLayouts layouts;
  TRY(layouts.derived, deriveConstraints(kernel));
  const auto constraints = constraintsOf(layouts.derived);
  layouts.outcome = solve(layouts.derived.variables, constraints, kernel.smMajor, limits);
  if (layouts.outcome.kind == Kind::Unsatisfiable)
    layouts.conflict =
        conflictAmong(layouts.derived.variables, constraints, kernel.smMajor, limits, layouts.outcome.blamed);
  return layouts;
}

Diagnostic whyNoLayouts(const KernelDescription& kernel, const KernelLayouts& layouts) {
  CHECK(!layouts.isFound(), "there are layouts");
  if (layouts.outcome.kind == Kind::Unsatisfiable) return conflictDiagnostic(kernel, layouts);
  if (layouts.outcome.kind == Kind::Cancelled)
    return {Severity::kError, "cancelled", "the search for layouts was cancelled", {}, {}};
  return {Severity::kError,
          "kernel-layout-fuel",
          fmt::format("{} layouts were tried and none is known to fit: {}", layouts.outcome.fuelUsed,
                      namesOf(layouts.outcome.open, layouts)),
          {},
          {"a layout_cast of one of these shortens the search; --fuel allows more tries"}};
}

}  // namespace hilo::inference
