#include "core/analysis/kernel_layouts/inference/layout_conflict.h"

#include <algorithm>
#include <numeric>

namespace hilo::inference {
namespace {

using Kind = SearchOutcome::Kind;

// Whether chosen constraints are refuted; all tries together spend the limits' fuel.
class Refuter {
 public:
  Refuter(const std::vector<LayoutVariable>& variables, const std::vector<LayoutConstraint>& constraints,
          int64_t smMajor, const SearchLimits& limits)
      : variables_(variables), constraints_(constraints), smMajor_(smMajor), limits_(limits) {
    limits_.steps = 0;
  }

  bool refutes(const std::vector<uint32_t>& chosen) {
    std::vector<LayoutConstraint> demands = constraints_;
    for (uint32_t i = 0; i < demands.size(); ++i)
      demands[i].isProposal = !std::ranges::binary_search(chosen, i);
    const SearchOutcome outcome = solve(variables_, demands, smMajor_, limits_);
    limits_.fuel -= outcome.fuelUsed;
    isExhausted_ = isExhausted_ || outcome.kind == Kind::OutOfFuel || outcome.kind == Kind::Cancelled;
    return outcome.isRefuted();
  }
  bool isExhausted() const { return isExhausted_; }

 private:
  const std::vector<LayoutVariable>& variables_;
  const std::vector<LayoutConstraint>& constraints_;
  int64_t smMajor_;
  SearchLimits limits_;
  bool isExhausted_ = false;
};

// Leaves out runs of `length`, wherever the rest is still refuted.
void leaveOut(std::vector<uint32_t>& chosen, size_t length, Refuter& refuter) {
  for (size_t from = 0; from < chosen.size() && !refuter.isExhausted();) {
    std::vector<uint32_t> rest = chosen;
    const size_t end = std::min(from + length, chosen.size());
    rest.erase(rest.begin() + static_cast<int64_t>(from), rest.begin() + static_cast<int64_t>(end));
    if (refuter.refutes(rest))
      chosen = std::move(rest);
    else
      from += length;
  }
}

}  // namespace

SearchOutcome solve(const std::vector<LayoutVariable>& variables,
                    const std::vector<LayoutConstraint>& constraints, int64_t smMajor,
                    const SearchLimits& limits) {
  ConstraintSystem system{
      .variables = &variables, .smMajor = smMajor, .known = {}, .constraints = constraints};
  for (uint32_t i = 0; i < constraints.size(); ++i) system.constraints[i].origins = {i};
  spreadNotSplat(system);
  strictRelayoutsToEquals(system);
  spreadDivides(system);
  return findLayouts(std::move(system), limits);
}

LayoutConflict conflictAmong(const std::vector<LayoutVariable>& variables,
                             const std::vector<LayoutConstraint>& constraints, int64_t smMajor,
                             const SearchLimits& limits, std::vector<uint32_t> blamed) {
  Refuter refuter(variables, constraints, smMajor, limits);
  std::ranges::sort(blamed);
  if (!refuter.refutes(blamed)) {
    blamed.resize(constraints.size());
    std::iota(blamed.begin(), blamed.end(), 0u);
    if (!refuter.refutes(blamed)) return {};
  }
  for (size_t length = blamed.size() / 2; length > 1; length /= 2) leaveOut(blamed, length, refuter);
  leaveOut(blamed, 1, refuter);
  return {.constraints = std::move(blamed), .isMinimal = !refuter.isExhausted()};
}

}  // namespace hilo::inference
