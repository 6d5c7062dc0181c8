// How far the results of a module move when its arguments do: what rounding alone may make of them, measured
// and not proved.
//
// An engine that rounds well gives what the module would give of arguments that are a few units in the last
// place away; in a deep net such a unit grows. The same engine therefore runs the module again, on arguments
// each of whose floats goes to the next number, up or down, or stays, at random; how far the results come to
// lie from the first ones is what differences are held against. What is wrong in a few elements that are
// small beside others of their array may be less than that: the first divergence tells.
#pragma once

#include "core/workspace/run/runs.h"

namespace hilo {

// One array of the output. Distances are absolute, of complex numbers those in the plane; what is not finite
// on one side alone is infinitely far.
struct LeafCondition {
  double mostOff = 0, rmsOff = 0;      // run b from run a
  double mostMoved = 0, rmsMoved = 0;  // run a, its arguments moved, from run a; the most of all draws
  // How many times as far off as moved, by the larger of the two; infinite where it is off and did not move.
  double times() const;
};

struct Condition {
  // Up to here a difference counts as rounding: comparisons of elements allow 8 epsilon of the result, which
  // is as many units in the last place of its arguments.
  static constexpr double kMostTimes = 8;
  int draws = 0;
  std::vector<LeafCondition> leaves;  // in the order of the comparison's
  // Of the leaves that do not agree, the one furthest off; 0 where all agree.
  double times = 0;
  bool isRounding() const { return times <= kMostTimes; }
};
// "differ by rounding: off 2 times as far as ..."
std::string conditionText(const Condition& condition);

// The float elements each moved to the next number of their type, up or down, or not (a quarter, a quarter, a
// half). Zeros stay, and what is or would become infinite. The same seed moves the same way.
Literal movedByUnits(const Literal& value, uint64_t seed);

// `request` is what gave comparison.a, its arguments settled. Errors as execute(); "not-comparable" where the
// outputs are not at hand.
Result<Condition> measureCondition(const RunRequest& request, const RunComparison& comparison, int draws,
                                   const JobContext& context);

}  // namespace hilo
