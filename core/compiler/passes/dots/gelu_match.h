// The approximation of gelu by tanh, as frontends write it out.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Where `multiply` is x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), with the two constants about
// right in their type: who reads x for it. Each step between is read by the next alone. Empty: it is not.
std::vector<const Instruction*> geluReaders(const Instruction& multiply, const Instruction& x);

}  // namespace hilo
