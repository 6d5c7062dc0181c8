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
// A step that can be worked out on values of its operands alone: not a done, whose start would be missing,
// and not one with an operand that has fewer elements than its bounds.
bool standsAlone(const Instruction& instruction);

// The computation as it is, its parameters the probe's: the value of every step as the computation has it.
Probe probeWhole(const Module& module, const Computation& computation);

// Each of these steps of one computation by itself, on the values of its operands.
Probe probeSteps(const Module& module, std::span<const Instruction* const> steps);

}  // namespace hilo
