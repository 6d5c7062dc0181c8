// Signed numbers divided by powers of two, work done in a wider type, and what is chosen anyway.
#include <bit>
#include <cmath>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

std::optional<int> exponentOf(const Instruction& divisor) {
  const auto number = splatValue(divisor);
  if (!number || *number < 2 || *number >= 9.0e15 || std::floor(*number) != *number) return std::nullopt;
  const auto whole = static_cast<uint64_t>(*number);
  return std::has_single_bit(whole) ? std::optional(std::countr_zero(whole)) : std::nullopt;
}

// x < 0 ? -f(-x) : f(x)
template <typename F>
Instruction* bySign(Instruction& i, F&& f) {
  Instruction *x = i.operand(0), *zero = makeSplat(i, i.shape(), 0);
  Instruction* isNegative =
      i.parent().create(Opcode::Compare, i.shape().withElementType(ElementType::Pred), {x, zero}, {}, &i);
  isNegative->set<Attr::Direction>(ComparisonDirection::Lt);
  const auto chosen = [&](Instruction* negative, Instruction* positive) {
    return i.parent().create(Opcode::Select, i.shape(), {isNegative, negative, positive}, {}, &i);
  };
  Instruction* worked = f(chosen(madeUnary(i, Opcode::Negate, x), x));
  return chosen(madeUnary(i, Opcode::Negate, worked), worked);
}

// One operation of two numbers of `narrow` gives the same in `wide`, rounded back: twice the digits and two
// more (Figueroa, "When is double rounding innocuous?", 1995).
bool roundsOnce(ElementType narrow, ElementType wide) {
  const bool isHalf = narrow == ElementType::F16 || narrow == ElementType::BF16;
  return (isHalf && (wide == ElementType::F32 || wide == ElementType::F64)) ||
         (narrow == ElementType::F32 && wide == ElementType::F64);
}

}  // namespace

Instruction* signedDivide(Instruction& i) {
  const auto exponent = exponentOf(*i.operand(1));
  if (!isSigned(i.shape().elementType()) || !isIntegral(i.shape().elementType()) || !exponent) return nullptr;
  return bySign(i, [&](Instruction* x) {
    return madeBinary(i, Opcode::ShiftRightLogical, x, makeSplat(i, i.shape(), *exponent));
  });
}

Instruction* signedRemainder(Instruction& i) {
  const auto exponent = exponentOf(*i.operand(1));
  if (!isSigned(i.shape().elementType()) || !isIntegral(i.shape().elementType()) || !exponent) return nullptr;
  return bySign(i, [&](Instruction* x) {
    return madeBinary(i, Opcode::And, x, makeSplat(i, i.shape(), std::ldexp(1.0, *exponent) - 1));
  });
}

Instruction* convertOfWiderWork(Instruction& i) {
  Instruction& work = *i.operand(0);
  const bool isWork = work.opcode() == Opcode::Add || work.opcode() == Opcode::Subtract ||
                      work.opcode() == Opcode::Multiply || work.opcode() == Opcode::Divide;
  if (!isWork || work.users().size() != 1 || !roundsOnce(i.shape().elementType(), work.shape().elementType()))
    return nullptr;
  for (const Instruction* operand : work.operands()) {
    if (operand->opcode() != Opcode::Convert || operand->operand(0)->shape() != i.shape()) return nullptr;
  }
  return madeBinary(i, work.opcode(), work.operand(0)->operand(0), work.operand(1)->operand(0));
}

Instruction* maximumOfClamp(Instruction& i) {
  for (const size_t side : {0, 1}) {
    Instruction* clamp = i.operand(side);
    if (clamp->opcode() != Opcode::Clamp || clamp->operand(0) != i.operand(1 - side)) continue;
    const auto low = splatValue(*clamp->operand(0)), high = splatValue(*clamp->operand(2));
    if (low && high && *low <= *high) return clamp;
  }
  return nullptr;
}

Instruction* elementOfMadeTuple(Instruction& i) {
  Instruction& tuple = *i.operand(0);
  if (tuple.opcode() != Opcode::Tuple) return nullptr;
  return tuple.operand(static_cast<size_t>(i.tupleIndex()));
}

Instruction* reducePrecisionToSame(Instruction& i) {
  const auto digits = [](ElementType type) -> std::pair<int64_t, int64_t> {
    switch (type) {
      case ElementType::BF16:
        return {8, 7};
      case ElementType::F16:
        return {5, 10};
      case ElementType::F32:
        return {8, 23};
      case ElementType::F64:
        return {11, 52};
      default:
        return {0, 0};
    }
  }(i.shape().elementType());
  const bool isSame = digits.first != 0 && i.get<Attr::ExponentBits>() == digits.first &&
                      i.get<Attr::MantissaBits>() == digits.second;
  return isSame ? i.operand(0) : nullptr;
}

Instruction* bitcastConvertIsBitcast(Instruction& i) {
  const Shape from = i.operand(0)->shape();
  const bool isPlain = liesRowMajor(from) && liesRowMajor(i.shape()) &&
                       elementBits(from.elementType()) >= 8 && elementBits(i.shape().elementType()) >= 8 &&
                       from.elementType() != i.shape().elementType();
  return isPlain && from.byteSize() == i.shape().byteSize() ? bitcastTo(i.operand(0), i.shape(), i) : nullptr;
}

// PadToStatic gives an array and its sizes, SliceToDynamic takes them back.
Instruction* dynamicOfItsStatic(Instruction& i) {
  if (i.get<Attr::CustomCallTarget>() != "SliceToDynamic" ||
      i.operandCount() != i.operand(0)->shape().rank() + 1)
    return nullptr;
  const Instruction* call = nullptr;
  for (size_t k = 0; k < i.operandCount(); ++k) {
    const Instruction& element = *i.operand(k);
    if (element.opcode() != Opcode::GetTupleElement || element.tupleIndex() != static_cast<int64_t>(k))
      return nullptr;
    if (k > 0 && element.operand(0) != call) return nullptr;
    call = element.operand(0);
  }
  const bool isStatic = call->opcode() == Opcode::CustomCall &&
                        call->get<Attr::CustomCallTarget>() == "PadToStatic" && call->operandCount() == 1 &&
                        call->operand(0)->shape() == i.shape();
  return isStatic ? call->operand(0) : nullptr;
}

// Variances, the third result of that call, are not negative.
Instruction* absOfVariance(Instruction& i) {
  Instruction& element = *i.operand(0);
  if (element.opcode() != Opcode::GetTupleElement || element.tupleIndex() != 2 ||
      element.operand(0)->opcode() != Opcode::CustomCall)
    return nullptr;
  const bool isVariance =
      element.operand(0)->get<Attr::CustomCallTarget>() == "__cudnn$batchNormalizationForwardTraining";
  return isVariance ? &element : nullptr;
}

}  // namespace hilo::algebra
