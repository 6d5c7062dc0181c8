#include "core/hlo/expand/activations.h"

namespace hilo::library {

Instruction* geluByTanh(const Expansion& call, Instruction* x) {
  const auto number = [&](double value) { return call.splat(x->shape(), value); };
  const auto times = [&](Instruction* a, Instruction* b) { return call.binary(Opcode::Multiply, a, b); };
  const auto plus = [&](Instruction* a, Instruction* b) { return call.binary(Opcode::Add, a, b); };
  Instruction* cube = times(times(x, x), x);
  Instruction* inner = times(number(0.7978845608028654), plus(x, times(number(0.044715), cube)));
  return times(times(number(0.5), x), plus(number(1), call.unary(Opcode::Tanh, inner)));
}

}  // namespace hilo::library
