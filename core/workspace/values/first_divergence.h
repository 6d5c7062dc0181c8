// Where two engines part: the first instruction, inside of fusions, loops, branches and calls too, whose
// result differs beyond the tolerance.
//
// One engine's values count as true. The other works every instruction out by itself on true operands; the
// first result that differs is the place, unless what the instruction calls has a first one of its own. Where
// each by itself agrees, the other engine's values of all instructions, from the arguments on, are compared:
// the first that is off and not by what its operands are off is what the engine makes of several instructions
// together: of all, or where there is no memory for all their values of those in two windows side by side
// (other_side.h). Errors that only add up are none.
//
// A request without a tolerance takes the types' own, and what rounding alone may do to terms that
// cancel (rounding_bound.h).
#pragma once

#include "core/workspace/values/value_request.h"

namespace hilo {

struct DivergenceRequest {
  ValueRequest truth;  // the values that count as true
  std::string engine;  // with its flags, as RunRequest has them
  Tolerance tolerance;
};

// One instruction compared: the leaf that is furthest off.
struct StepComparison {
  uint32_t instruction = 0;  // its id in the module
  std::string name, opcode;
  bool agrees = true;
  int64_t device = 0;
  LeafComparison worst;
};

struct Divergence {
  bool found = false;
  // From the entry to the instruction: "while.3 (turn 17)", "fusion.2", "add.1".
  std::vector<std::string> path;
  StepComparison step;
  bool onTrueOperands = true;         // false: only when computed from the arguments on
  std::vector<std::string> operands;  // "p.1: f32[4], 0.5 to 1.5, 1 NaN"
  std::vector<std::string> notes;
  // The steps of the entry in order, by themselves on true operands: values for whoever shows the graph.
  std::vector<StepComparison> steps;
};

// Errors as execute(). The time limit of the request's worker is that of the whole search: "time-limit", with
// a note of how far it came.
Result<Divergence> findFirstDivergence(const DivergenceRequest& request, const JobContext& context);

}  // namespace hilo
