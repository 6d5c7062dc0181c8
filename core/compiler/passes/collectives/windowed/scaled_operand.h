// A value that was stored in an 8-bit float and is scaled back: convert(x) times or divided by a scalar.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct ScaledOperand {
  Instruction* work = nullptr;    // the multiply or divide
  Instruction* stored = nullptr;  // of an 8-bit float type
  Instruction* scale = nullptr;   // a scalar
};
// nullopt: `value` is not of that form, or not f16, bf16 or f32.
std::optional<ScaledOperand> scaledOperand(Instruction& value);

// A scale that every partition is known to have: constants, parameters stated to be replicated and
// all-reduces of all partitions, and what is computed from them element by element. What another partition
// sends can be scaled with it.
bool isSameOnPartitions(const Instruction& scale);

// The same work on another stored value, at the end of `to`, which holds both.
Instruction* scaleAs(const ScaledOperand& original, Instruction* stored, Instruction* scale, Computation& to);

// Moves the scaling of both operands of a windowed loop (its first two elements) into the loop, so that the
// loop carries and sends 8-bit floats, and each dot reads what it scales itself. Between scaling and loop
// there may be bitcasts, broadcasts, copies, reshapes and transposes. Nothing is done where a pair of types
// is none that a GPU multiplies, or where the scale of what is sent may differ. Gives whether it changed the
// loop. Error kind "module-too-large".
Result<bool> moveScalingIntoLoop(Instruction& loop);

}  // namespace hilo
