// How often a loop runs and what its counter goes through, told from its computations without running it.
// Knows what XLA's hlo/analysis/while_loop_analysis.cc knows of counters that start at a constant, move by a
// constant and are compared with one; also through fusions, downwards, and for !=. Constants may be carried
// by the loop unchanged.
#pragma once

#include <optional>

#include "core/hlo/ir/module.h"

namespace hilo {

struct InductionVariable {
  int64_t tupleIndex = 0;  // in what the loop carries
  int64_t init = 0;
  int64_t step = 0;  // not 0
  int64_t trips = 0;
  // Value in the last iteration; `init` when there is none.
  int64_t last() const { return trips > 0 ? init + (trips - 1) * step : init; }
};

// nullopt: the loop is not of that form, its counter would wrap around, or it would not end.
std::optional<InductionVariable> inductionVariable(const Instruction& whileLoop);

// The known_trip_count of the backend configuration; nullopt when there is none.
std::optional<int64_t> statedTripCount(const Instruction& whileLoop);

// What the counter tells, which is how often the loop runs; else what is stated.
std::optional<int64_t> tripCount(const Instruction& whileLoop);

// The values a loop-carried scalar takes within the body: nullopt when not known.
struct ValueRange {
  int64_t min = 0;
  int64_t max = 0;
  int64_t step = 0;  // 0: one value
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};
// Of a scalar integer in the loop's body that is computed from the counter and constants alone by adding,
// subtracting, negating, multiplying, and by selects that choose the same side every time.
std::optional<ValueRange> valueRangeInBody(const Instruction& value, const Instruction& whileLoop);

}  // namespace hilo
