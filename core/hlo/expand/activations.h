// Functions that several libraries apply to what they computed.
#pragma once

#include "core/hlo/expand/expansion.h"

namespace hilo::library {

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
Instruction* geluByTanh(const Expansion& call, Instruction* x);

}  // namespace hilo::library
