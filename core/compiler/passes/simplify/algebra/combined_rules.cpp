#include <bit>
#include <cmath>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isInteger(const Instruction& i) { return isIntegral(i.shape().elementType()); }
bool isReal(const Instruction& i) { return isFloat(i.shape().elementType()); }

bool isConstantLike(const Instruction& i) {
  return i.opcode() == Opcode::Constant ||
         (i.opcode() == Opcode::Broadcast && i.operand(0)->opcode() == Opcode::Constant);
}

Instruction* binary(Instruction& at, Opcode opcode, Instruction* left, Instruction* right) {
  return at.parent().create(opcode, at.shape(), {left, right}, {}, &at);
}

// (x op c) op d with constants c and d.
Instruction* mergedConstants(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (!isInteger(i) || inner.opcode() != i.opcode() || !isConstantLike(*i.operand(1)) ||
      !isConstantLike(*inner.operand(1)) || isConstantLike(*inner.operand(0)))
    return nullptr;
  return binary(i, i.opcode(), inner.operand(0), binary(i, i.opcode(), inner.operand(1), i.operand(1)));
}

// What an integer power of two is a power of; nullopt of other numbers.
std::optional<int> powerOfTwo(const Instruction& value) {
  const auto number = splatValue(value);
  if (!number || *number < 1 || *number >= 9.0e15 || std::floor(*number) != *number) return std::nullopt;
  const auto whole = static_cast<uint64_t>(*number);
  return std::has_single_bit(whole) ? std::optional(std::countr_zero(whole)) : std::nullopt;
}

// As far as is looked; NaN is not negative.
bool isNeverNegative(const Instruction& i) {
  if (isUnsigned(i.shape().elementType())) return true;
  switch (i.opcode()) {
    case Opcode::Iota: {
      const int64_t size = i.shape().dimension(static_cast<size_t>(*i.get<Attr::IotaDimension>()));
      const int bits = elementBits(i.shape().elementType());
      return isFloat(i.shape().elementType()) || bits >= 64 || size - 1 < (int64_t{1} << (bits - 1));
    }
    case Opcode::Abs:
      return isReal(i);
    case Opcode::Exponential:
      return isReal(i);
    case Opcode::Multiply:
      return isReal(i) && i.operand(0) == i.operand(1);
    case Opcode::Maximum:
      return isNeverNegative(*i.operand(0)) || isNeverNegative(*i.operand(1));
    case Opcode::Minimum:
      return isNeverNegative(*i.operand(0)) && isNeverNegative(*i.operand(1));
    case Opcode::Power:
      return isReal(i) && isNeverNegative(*i.operand(0));
    case Opcode::Select:
      return isNeverNegative(*i.operand(1)) && isNeverNegative(*i.operand(2));
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Transpose:
      return isNeverNegative(*i.operand(0));
    default:
      return splatValue(i).value_or(-1) >= 0;
  }
}

Instruction* clampOf(Instruction& i, Instruction* low, Instruction* value, Instruction* high) {
  const auto least = splatValue(*low), most = splatValue(*high);
  if (!least || !most || !(*least <= *most)) return nullptr;
  return i.parent().create(Opcode::Clamp, i.shape(), {low, value, high}, {}, &i);
}

Instruction* truth(Instruction& i, bool holds) { return makeSplat(i, i.shape(), holds ? 1 : 0); }

}  // namespace

Instruction* constantLast(Instruction& i) {
  if (!isConstantLike(*i.operand(0)) || isConstantLike(*i.operand(1))) return nullptr;
  return binary(i, i.opcode(), i.operand(1), i.operand(0));
}

Instruction* addConstants(Instruction& i) { return mergedConstants(i); }
Instruction* multiplyConstants(Instruction& i) { return mergedConstants(i); }

Instruction* addSubtract(Instruction& i) {
  for (size_t k = 0; k < 2 && isInteger(i); ++k) {
    const Instruction& difference = *i.operand(k);
    if (difference.opcode() == Opcode::Subtract && difference.operand(1) == i.operand(1 - k))
      return difference.operand(0);
  }
  return nullptr;
}

Instruction* subtractAdd(Instruction& i) {
  const Instruction& sum = *i.operand(0);
  if (!isInteger(i) || sum.opcode() != Opcode::Add) return nullptr;
  if (sum.operand(1) == i.operand(1)) return sum.operand(0);
  return sum.operand(0) == i.operand(1) ? sum.operand(1) : nullptr;
}

Instruction* subtractSubtract(Instruction& i) {
  const Instruction& difference = *i.operand(1);
  const bool applies =
      isInteger(i) && difference.opcode() == Opcode::Subtract && difference.operand(0) == i.operand(0);
  return applies ? difference.operand(1) : nullptr;
}

Instruction* subtractConstant(Instruction& i) {
  const ElementType type = i.shape().elementType();
  Instruction* constant = i.operand(1);
  if (!isConstantLike(*constant) || isConstantLike(*i.operand(0)) || (!isReal(i) && !isSigned(type)))
    return nullptr;
  const auto value = splatValue(*constant);
  // The least integer has no negative; negate gives what wraps around.
  const bool hasNegative = value && (isReal(i) || *value > -std::exp2(elementBits(type) - 1));
  Instruction* negative = hasNegative
                              ? makeSplat(i, constant->shape(), -*value)
                              : i.parent().create(Opcode::Negate, constant->shape(), {constant}, {}, &i);
  return binary(i, Opcode::Add, i.operand(0), negative);
}

Instruction* factorAddition(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (!isInteger(i) || left.opcode() != Opcode::Multiply || right.opcode() != Opcode::Multiply ||
      &left == &right)
    return nullptr;
  for (size_t l = 0; l < 2; ++l) {
    for (size_t r = 0; r < 2; ++r) {
      if (left.operand(l) != right.operand(r)) continue;
      Instruction* sum = binary(i, Opcode::Add, left.operand(1 - l), right.operand(1 - r));
      return binary(i, Opcode::Multiply, sum, left.operand(l));
    }
  }
  return nullptr;
}

Instruction* multiplyAbs(Instruction& i) {
  const Instruction& abs = *i.operand(0);
  if (abs.opcode() != Opcode::Abs || &abs != i.operand(1) || isComplex(abs.operand(0)->shape().elementType()))
    return nullptr;
  return binary(i, Opcode::Multiply, abs.operand(0), abs.operand(0));
}

Instruction* multiplyNegate(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (left.opcode() != Opcode::Negate || right.opcode() != Opcode::Negate) return nullptr;
  return binary(i, Opcode::Multiply, left.operand(0), right.operand(0));
}

Instruction* sameTwice(Instruction& i) {
  for (size_t k = 0; k < 2; ++k) {
    Instruction* inner = i.operand(k);
    if (inner->opcode() != i.opcode()) continue;
    if (inner->operand(0) == i.operand(1 - k) || inner->operand(1) == i.operand(1 - k)) return inner;
  }
  return nullptr;
}

Instruction* minimumInfinity(Instruction& i) {
  for (size_t k = 0; k < 2 && isReal(i); ++k) {
    if (isAll(*i.operand(k), std::numeric_limits<double>::infinity())) return i.operand(1 - k);
  }
  return nullptr;
}

Instruction* maximumInfinity(Instruction& i) {
  for (size_t k = 0; k < 2 && isReal(i); ++k) {
    if (isAll(*i.operand(k), -std::numeric_limits<double>::infinity())) return i.operand(1 - k);
  }
  return nullptr;
}

Instruction* clampOfMaximum(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (inner.opcode() != Opcode::Maximum || splatValue(*inner.operand(0))) return nullptr;
  return clampOf(i, inner.operand(1), inner.operand(0), i.operand(1));
}

Instruction* clampOfMinimum(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (inner.opcode() != Opcode::Minimum || splatValue(*inner.operand(0))) return nullptr;
  return clampOf(i, i.operand(1), inner.operand(0), inner.operand(1));
}

Instruction* remainderRemainder(Instruction& i) {
  Instruction* inner = i.operand(0);
  const bool isSame = inner->opcode() == Opcode::Remainder && inner->operand(1) == i.operand(1);
  return isSame && isInteger(i) ? inner : nullptr;
}

Instruction* remainderOfIota(Instruction& i) {
  Instruction* iota = i.operand(0);
  const auto divisor = splatValue(*i.operand(1));
  if (iota->opcode() != Opcode::Iota || !isInteger(i) || !divisor || !isNeverNegative(*iota)) return nullptr;
  const int64_t size = iota->shape().dimension(static_cast<size_t>(*iota->get<Attr::IotaDimension>()));
  return static_cast<double>(size) <= *divisor ? iota : nullptr;
}

Instruction* unsignedDivide(Instruction& i) {
  if (!isUnsigned(i.shape().elementType())) return nullptr;
  const auto power = powerOfTwo(*i.operand(1));
  if (!power || *power == 0) return nullptr;
  return binary(i, Opcode::ShiftRightLogical, i.operand(0), makeSplat(i, i.operand(1)->shape(), *power));
}

Instruction* unsignedRemainder(Instruction& i) {
  if (!isUnsigned(i.shape().elementType())) return nullptr;
  const auto power = powerOfTwo(*i.operand(1));
  if (!power || *power == 0) return nullptr;
  const double mask = std::exp2(*power) - 1;
  return binary(i, Opcode::And, i.operand(0), makeSplat(i, i.operand(1)->shape(), mask));
}

Instruction* powerZero(Instruction& i) {
  return !isComplex(i.shape().elementType()) && isAll(*i.operand(1), 0) ? makeSplat(i, i.shape(), 1)
                                                                        : nullptr;
}

Instruction* exponentialZero(Instruction& i) {
  return isReal(i) && isAll(*i.operand(0), 0) ? makeSplat(i, i.shape(), 1) : nullptr;
}

Instruction* absOfNeverNegative(Instruction& i) {
  const Instruction& value = *i.operand(0);
  return value.shape() == i.shape() && isNeverNegative(value) ? i.operand(0) : nullptr;
}

Instruction* selectNot(Instruction& i) {
  const Instruction& chooses = *i.operand(0);
  if (chooses.opcode() != Opcode::Not) return nullptr;
  return i.parent().create(Opcode::Select, i.shape(), {chooses.operand(0), i.operand(2), i.operand(1)}, {},
                           &i);
}

Instruction* selectTrueFalse(Instruction& i) {
  if (i.shape().elementType() != ElementType::Pred || i.operand(0)->shape() != i.shape()) return nullptr;
  if (isAll(*i.operand(1), 1) && isAll(*i.operand(2), 0)) return i.operand(0);
  if (!isAll(*i.operand(1), 0) || !isAll(*i.operand(2), 1)) return nullptr;
  return i.parent().create(Opcode::Not, i.shape(), {i.operand(0)}, {}, &i);
}

Instruction* comparePred(Instruction& i) {
  if (i.operand(0)->shape().elementType() != ElementType::Pred) return nullptr;
  const auto direction = i.get<Attr::Direction>();
  for (size_t k = 0; k < 2; ++k) {
    const bool isSame = (direction == ComparisonDirection::Ne && isAll(*i.operand(k), 0)) ||
                        (direction == ComparisonDirection::Eq && isAll(*i.operand(k), 1));
    if (isSame) return i.operand(1 - k);
  }
  return nullptr;
}

Instruction* compareZero(Instruction& i) {
  const Instruction& value = *i.operand(0);
  if ((!isInteger(value) && !isReal(value)) || !isAll(*i.operand(1), 0) || !isNeverNegative(value))
    return nullptr;
  const auto direction = i.get<Attr::Direction>();
  if (direction == ComparisonDirection::Lt) return truth(i, false);
  return direction == ComparisonDirection::Ge && isInteger(value) ? truth(i, true) : nullptr;
}

Instruction* compareMaximum(Instruction& i) {
  if (!isInteger(*i.operand(0))) return nullptr;
  const auto direction = i.get<Attr::Direction>();
  const Instruction& right = *i.operand(1);
  const bool applies = (direction == ComparisonDirection::Gt && right.opcode() == Opcode::Maximum) ||
                       (direction == ComparisonDirection::Lt && right.opcode() == Opcode::Minimum);
  const bool isOne = applies && (right.operand(0) == i.operand(0) || right.operand(1) == i.operand(0));
  return isOne ? truth(i, false) : nullptr;
}

Instruction* realOfReal(Instruction& i) { return isReal(*i.operand(0)) ? i.operand(0) : nullptr; }

Instruction* imagOfReal(Instruction& i) {
  return isReal(*i.operand(0)) ? makeSplat(i, i.shape(), 0) : nullptr;
}

Instruction* mapOfOne(Instruction& i) {
  const Computation& mapped = *i.get<Attr::ToApply>();
  const Instruction& root = *mapped.root();
  if (mapped.instructionCount() != mapped.parameters().size() + 1 || !isElementwise(root.opcode()))
    return nullptr;
  std::vector<Instruction*> operands;
  for (const Instruction* operand : root.operands())
    operands.push_back(i.operand(static_cast<size_t>(operand->parameterNumber())));
  Instruction* made = i.parent().createLike(root, operands, &i);
  made->setShape(i.shape());
  return made;
}

}  // namespace hilo::algebra
