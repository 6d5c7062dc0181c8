// What can be part of a kernel that computes element by element, or reduces.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// May stand in a fusion at all; as XLA's IsFusible of backends/gpu.
bool isFusible(const Instruction& instruction);
// The same, but that control dependencies do not matter: for who keeps them.
bool isFusibleInControlOrder(const Instruction& instruction);
// May be computed inside its users.
bool isFusibleProducer(const Instruction& instruction);
// A constant of one element: no kernel, and free in any.
bool isScalarConstant(const Instruction& instruction);

}  // namespace hilo
