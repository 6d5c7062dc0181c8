// Layouts for all variables: what follows, and where nothing more does, one candidate after the other, taken
// back when it leads to a contradiction. The same system gives the same layouts always.
#pragma once

#include "core/analysis/kernel_layouts/inference/constraint_system.h"
#include "core/base/cancel.h"

namespace hilo::inference {

inline constexpr int64_t kUsualFuel = 100'000;

struct SearchLimits {
  int64_t fuel = kUsualFuel;  // candidates that may be tried
  CancelToken cancel;
  size_t steps = 0;  // kept for stepping through
};

struct SearchOutcome {
  enum class Kind : uint8_t { Found, Unsatisfiable, OutOfFuel, Cancelled };
  Kind kind = Kind::Found;
  std::map<VariableId, SetLayout> layouts;  // of Found: of all variables
  int64_t fuelUsed = 0;
  // Of Unsatisfiable: constraints that the contradictions met with, and those that had set their variables.
  std::vector<uint32_t> blamed;
  // Without a layout where the search ended with nothing to try for them: who knows more layouts than the
  // candidates may find one. Also of OutOfFuel.
  std::vector<VariableId> open;
  InferenceTrace trace;

  // Every way that there is ends in a contradiction.
  bool isRefuted() const { return kind == Kind::Unsatisfiable && open.empty(); }
};

// Variables that no constraint joins are searched apart: none of the others' candidates changes them.
SearchOutcome findLayouts(ConstraintSystem system, const SearchLimits& limits);

}  // namespace hilo::inference
