// What can be part of a kernel that computes element by element, or reduces.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// May stand in a fusion at all; as XLA's IsFusible of backends/gpu.
bool isFusible(const Instruction& instruction);
// May be computed inside its users.
bool isFusibleProducer(const Instruction& instruction);
// A constant of one element: no kernel, and free in any.
bool isScalarConstant(const Instruction& instruction);

}  // namespace hilo
