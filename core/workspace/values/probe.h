// Modules made to look at the values inside of another one. Each is a clone of that module with an entry of
// its own whose result is a tuple of the values looked at.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct Probe {
  std::shared_ptr<const Module> module;
  // Of the module probed, one an element of the result.
  std::vector<const Instruction*> looked;
  // Of the module probed, one a parameter: whose value it takes.
  std::vector<const Instruction*> parameters;
};

// Instructions that compute something: not parameters, constants, tokens, what only takes tuples apart and
// puts them together, or the starts and updates of asynchronous operations, whose result is their done's.
bool isStep(const Instruction& instruction);
// A step that can be computed on values of its operands alone: not a done, whose start would be missing,
// and not one with an operand that has fewer elements than its bounds.
bool standsAlone(const Instruction& instruction);

// Whether it must run beside others of its kind: it gives or takes a token, or draws random numbers.
bool isTied(const Instruction& instruction);
// Whether any array of its value may have fewer elements than its bounds.
bool hasDynamicShape(const Instruction& instruction);
// The operand of a tuple that an element is taken out of, however often; else the instruction itself.
const Instruction& seenThrough(const Instruction& instruction);

// What a part of a computation is to give.
struct ProbedPart {
  const Computation& computation;
  std::span<const Instruction* const> taken;   // values given to it; parameters need not be named
  std::span<const Instruction* const> looked;  // steps whose values are looked at
  std::span<const Instruction* const> kept;    // run too, for what they do
};
// The instructions as the computation has them, without those that neither looked nor kept ones need.
Probe probePart(const Module& module, const ProbedPart& part);

// Each of these steps of one computation by itself, on the values of its operands.
Probe probeSteps(const Module& module, std::span<const Instruction* const> steps);

}  // namespace hilo
