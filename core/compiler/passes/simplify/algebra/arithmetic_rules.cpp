#include <cmath>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isInteger(const Instruction& instruction) { return isIntegral(instruction.shape().elementType()); }
bool isReal(const Instruction& instruction) { return isFloat(instruction.shape().elementType()); }

// The other operand of a commutative operation when one is `number` everywhere.
Instruction* otherOperand(const Instruction& instruction, double number) {
  if (isAll(*instruction.operand(1), number)) return instruction.operand(0);
  if (isAll(*instruction.operand(0), number)) return instruction.operand(1);
  return nullptr;
}

Instruction* whenRight(const Instruction& instruction, double number) {
  return isAll(*instruction.operand(1), number) ? instruction.operand(0) : nullptr;
}

Instruction* makeBinary(Instruction& at, Opcode opcode, Instruction* left, Instruction* right) {
  return at.parent().create(opcode, at.shape(), {left, right}, {}, &at);
}

}  // namespace

Instruction* addZero(Instruction& i) { return otherOperand(i, 0); }
Instruction* subtractZero(Instruction& i) { return whenRight(i, 0); }

Instruction* subtractSelf(Instruction& i) {
  return isInteger(i) && i.operand(0) == i.operand(1) ? makeSplat(i, i.shape(), 0) : nullptr;
}

Instruction* multiplyOne(Instruction& i) { return otherOperand(i, 1); }

Instruction* multiplyZero(Instruction& i) {
  return isInteger(i) && otherOperand(i, 0) != nullptr ? makeSplat(i, i.shape(), 0) : nullptr;
}

Instruction* divideOne(Instruction& i) { return whenRight(i, 1); }

// Exact as long as 2^-k is a normal number of the type; f16's smallest is 2^-14.
Instruction* divideByPowerOfTwo(Instruction& i) {
  const ElementType type = i.shape().elementType();
  if (type != ElementType::F16 && type != ElementType::BF16 && type != ElementType::F32 &&
      type != ElementType::F64) {
    return nullptr;
  }
  const auto divisor = splatValue(*i.operand(1));
  int exponent = 0;
  if (!divisor || !std::isfinite(*divisor) || std::abs(std::frexp(*divisor, &exponent)) != 0.5)
    return nullptr;
  if (std::abs(exponent) > 13) return nullptr;
  return makeBinary(i, Opcode::Multiply, i.operand(0), makeSplat(i, i.operand(1)->shape(), 1 / *divisor));
}

Instruction* remainderOne(Instruction& i) {
  return isInteger(i) && isAll(*i.operand(1), 1) ? makeSplat(i, i.shape(), 0) : nullptr;
}

Instruction* powerOne(Instruction& i) { return whenRight(i, 1); }

Instruction* powerTwo(Instruction& i) {
  return isAll(*i.operand(1), 2) ? makeBinary(i, Opcode::Multiply, i.operand(0), i.operand(0)) : nullptr;
}

Instruction* powerMinusOne(Instruction& i) {
  if (!isReal(i) || !isAll(*i.operand(1), -1)) return nullptr;
  return makeBinary(i, Opcode::Divide, makeSplat(i, i.shape(), 1), i.operand(0));
}

Instruction* negateNegate(Instruction& i) {
  return i.operand(0)->opcode() == Opcode::Negate ? i.operand(0)->operand(0) : nullptr;
}

Instruction* absAbs(Instruction& i) { return i.operand(0)->opcode() == Opcode::Abs ? i.operand(0) : nullptr; }

Instruction* sameOperands(Instruction& i) { return i.operand(0) == i.operand(1) ? i.operand(0) : nullptr; }

Instruction* realOfComplex(Instruction& i) {
  return i.operand(0)->opcode() == Opcode::Complex ? i.operand(0)->operand(0) : nullptr;
}

Instruction* imagOfComplex(Instruction& i) {
  return i.operand(0)->opcode() == Opcode::Complex ? i.operand(0)->operand(1) : nullptr;
}

Instruction* complexOfParts(Instruction& i) {
  const Instruction& real = *i.operand(0);
  const Instruction& imag = *i.operand(1);
  const bool ofOne =
      real.opcode() == Opcode::Real && imag.opcode() == Opcode::Imag && real.operand(0) == imag.operand(0);
  return ofOne ? real.operand(0) : nullptr;
}

}  // namespace hilo::algebra
