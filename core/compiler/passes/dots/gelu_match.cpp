#include "core/compiler/passes/dots/gelu_match.h"

#include <cmath>
#include <numbers>

#include "core/compiler/passes/constants.h"

namespace hilo {
namespace {

// How far a constant may be off: many roundings of its type.
double tolerance(ElementType type) {
  switch (type) {
    case ElementType::BF16:
      return 1;
    case ElementType::F16:
      return 0x1p-3;
    case ElementType::F32:
      return 0x1p-16;
    default:
      return 0x1p-45;
  }
}

bool isAbout(const Instruction& value, double wanted) {
  const auto number = algebra::splatValue(value);
  return number &&
         std::abs(*number - wanted) < std::abs(*number + wanted) * tolerance(value.shape().elementType());
}

bool isReadOnce(const Instruction* i) { return i->users().size() == 1 && !i->isRoot(); }

// The operand beside x; null where `i` is another operation or does not read x.
const Instruction* beside(const Instruction& i, Opcode opcode, const Instruction& x) {
  if (i.opcode() != opcode) return nullptr;
  if (i.operand(0) == &x) return i.operand(1);
  return i.operand(1) == &x ? i.operand(0) : nullptr;
}

// The operand beside the constant, read by nobody else.
const Instruction* besideNumber(const Instruction* i, Opcode opcode, double number) {
  if (i == nullptr || i->opcode() != opcode) return nullptr;
  for (size_t side = 0; side < 2; ++side) {
    const Instruction* other = i->operand(1 - side);
    if (isAbout(*i->operand(side), number) && isReadOnce(other)) return other;
  }
  return nullptr;
}

}  // namespace

std::vector<const Instruction*> geluReaders(const Instruction& multiply, const Instruction& x) {
  const Instruction* half = beside(multiply, Opcode::Multiply, x);
  if (half == nullptr || !isReadOnce(half)) return {};
  const Instruction* plusOne = besideNumber(half, Opcode::Multiply, 0.5);
  const Instruction* tanh = besideNumber(plusOne, Opcode::Add, 1);
  if (tanh == nullptr || tanh->opcode() != Opcode::Tanh || !isReadOnce(tanh->operand(0))) return {};
  const Instruction* sum =
      besideNumber(tanh->operand(0), Opcode::Multiply, std::sqrt(2 * std::numbers::inv_pi));
  const Instruction* scaled = sum == nullptr ? nullptr : beside(*sum, Opcode::Add, x);
  if (scaled == nullptr || !isReadOnce(scaled)) return {};
  const Instruction* cube = besideNumber(scaled, Opcode::Multiply, 0.044715);
  const Instruction* square = cube == nullptr ? nullptr : beside(*cube, Opcode::Multiply, x);
  if (square == nullptr || square->opcode() != Opcode::Multiply || !isReadOnce(square) ||
      square->operand(0) != &x || square->operand(1) != &x)
    return {};
  return {&multiply, sum, cube, square};
}

}  // namespace hilo
