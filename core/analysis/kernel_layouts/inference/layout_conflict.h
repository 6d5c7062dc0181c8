// Which constraints of a kernel cannot hold together.
#pragma once

#include "core/analysis/kernel_layouts/inference/layout_search.h"

namespace hilo::inference {

struct LayoutConflict {
  // Numbers, ascending. Empty when nothing is contradictory, but for some variable nothing was left to try.
  std::vector<uint32_t> constraints;
  // Without any one of them the others can hold together; false when the fuel ended before that was known.
  bool isMinimal = false;
};

// The layouts of the constraints as they were derived, with those that follow; constraint i has origin i.
SearchOutcome solve(const std::vector<LayoutVariable>& variables,
                    const std::vector<LayoutConstraint>& constraints, int64_t smMajor,
                    const SearchLimits& limits);

// Of constraints that solve() found unsatisfiable, having blamed these. A constraint that is left out goes on
// proposing its layouts, so that the others are not refuted for want of something to try.
LayoutConflict conflictAmong(const std::vector<LayoutVariable>& variables,
                             const std::vector<LayoutConstraint>& constraints, int64_t smMajor,
                             const SearchLimits& limits, std::vector<uint32_t> blamed);

}  // namespace hilo::inference
