// Identities of real numbers: results of floats may round otherwise, and infinities may differ.
#include <cmath>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isReal(const Instruction& i) { return isFloat(i.shape().elementType()); }

bool isConstantLike(const Instruction& i) {
  const Instruction* scalar = scalarBehind(i);
  return i.opcode() == Opcode::Constant || (scalar != nullptr && scalar->opcode() == Opcode::Constant);
}

// A product whose right side is constant, the left one not.
bool isScaled(const Instruction& i) {
  return i.opcode() == Opcode::Multiply && isConstantLike(*i.operand(1)) && !isConstantLike(*i.operand(0));
}

Instruction* binary(Instruction& at, Opcode opcode, Instruction* left, Instruction* right) {
  return madeBinary(at, opcode, left, right);
}
Instruction* negated(Instruction& at, Instruction* value) { return madeUnary(at, Opcode::Negate, value); }

bool isPowerOfTwo(const Instruction& value) {
  const auto number = splatValue(value);
  int exponent = 0;
  return number && *number != 0 && std::abs(std::frexp(*number, &exponent)) == 0.5;
}

bool isNotNegative(const Instruction& i) {
  return i.opcode() == Opcode::Abs || i.opcode() == Opcode::Exponential ||
         (i.opcode() == Opcode::Multiply && i.operand(0) == i.operand(1));
}

Instruction* scaledLog(Instruction& i, Opcode of, double factor) {
  const Instruction& inner = *i.operand(0);
  if (inner.opcode() != of || !isReal(i)) return nullptr;
  return binary(i, Opcode::Multiply, madeUnary(i, Opcode::Log, inner.operand(0)),
                makeSplat(i, i.shape(), factor));
}

}  // namespace

Instruction* multiplyConstantsOfFloats(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  // A constant of several numbers may stand on the left, too.
  const bool isTable = inner.opcode() == Opcode::Multiply && inner.operand(0)->opcode() == Opcode::Constant &&
                       !splatValue(*inner.operand(0)) && isConstantLike(*inner.operand(1));
  if (!isReal(i) || !isScaled(i) || (!isScaled(inner) && !isTable)) return nullptr;
  return binary(i, Opcode::Multiply, inner.operand(0),
                binary(i, Opcode::Multiply, inner.operand(1), i.operand(1)));
}

Instruction* multiplyScaled(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (!isReal(i) || !isScaled(left) || !isScaled(right)) return nullptr;
  return binary(i, Opcode::Multiply, binary(i, Opcode::Multiply, left.operand(0), right.operand(0)),
                binary(i, Opcode::Multiply, left.operand(1), right.operand(1)));
}

// (x * c) * broadcast(y) = x * broadcast(y * c), for scalars y and c.
Instruction* multiplyScaledByScalar(Instruction& i) {
  for (const size_t side : {0, 1}) {
    const Instruction& scaled = *i.operand(side);
    Instruction* scalar = scalarBehind(*i.operand(1 - side));
    if (!isReal(i) || !isScaled(scaled) || scalar == nullptr || isConstantLike(*i.operand(1 - side)))
      continue;
    const auto constant = splatValue(*scaled.operand(1));
    if (!constant) continue;
    Instruction* product = binary(i, Opcode::Multiply, scalar, makeSplat(i, scalar->shape(), *constant));
    return binary(i, Opcode::Multiply, scaled.operand(0), madeBroadcast(i, product, i.shape()));
  }
  return nullptr;
}

// Exact but for what is too small or too large, as the factor is a power of two.
Instruction* factorFloatAddition(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (!isReal(i) || !isScaled(left) || !isScaled(right) || &left == &right) return nullptr;
  const auto a = splatValue(*left.operand(1)), b = splatValue(*right.operand(1));
  if (!a || !b || *a != *b || !isPowerOfTwo(*left.operand(1))) return nullptr;
  return binary(i, Opcode::Multiply, binary(i, Opcode::Add, left.operand(0), right.operand(0)),
                left.operand(1));
}

// (c - x) + d = (c + d) - x
Instruction* addToSubtractedConstant(Instruction& i) {
  const Instruction& difference = *i.operand(0);
  if (difference.opcode() != Opcode::Subtract || !isConstantLike(*i.operand(1)) ||
      !isConstantLike(*difference.operand(0)) || isConstantLike(*difference.operand(1)))
    return nullptr;
  return binary(i, Opcode::Subtract, binary(i, Opcode::Add, difference.operand(0), i.operand(1)),
                difference.operand(1));
}

Instruction* multiplyExponentials(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (left.opcode() != Opcode::Exponential || right.opcode() != Opcode::Exponential) return nullptr;
  return madeUnary(i, Opcode::Exponential, binary(i, Opcode::Add, left.operand(0), right.operand(0)));
}

Instruction* multiplyRootByItself(Instruction& i) {
  const Instruction& root = *i.operand(0);
  if (&root != i.operand(1) || root.operandCount() != 1 || !isReal(i) || !isNotNegative(*root.operand(0)))
    return nullptr;
  if (root.opcode() == Opcode::Sqrt) return root.operand(0);
  return root.opcode() == Opcode::Rsqrt
             ? binary(i, Opcode::Divide, makeSplat(i, i.shape(), 1), root.operand(0))
             : nullptr;
}

Instruction* multiplyByConvertedPred(Instruction& i) {
  for (const size_t side : {1, 0}) {
    const Instruction& convert = *i.operand(side);
    if (convert.opcode() != Opcode::Convert ||
        convert.operand(0)->shape().elementType() != ElementType::Pred || i.operand(0) == i.operand(1))
      continue;
    return i.parent().create(Opcode::Select, i.shape(),
                             {convert.operand(0), i.operand(1 - side), makeSplat(i, i.shape(), 0)}, {}, &i);
  }
  return nullptr;
}

Instruction* divideExponentials(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (right.opcode() != Opcode::Exponential) return nullptr;
  if (left.opcode() == Opcode::Exponential)
    return madeUnary(i, Opcode::Exponential, binary(i, Opcode::Subtract, left.operand(0), right.operand(0)));
  return binary(i, Opcode::Multiply, i.operand(0),
                madeUnary(i, Opcode::Exponential, negated(i, right.operand(0))));
}

Instruction* divideByPower(Instruction& i) {
  const Instruction& power = *i.operand(1);
  if (power.opcode() != Opcode::Power || !isReal(i)) return nullptr;
  Instruction* inverse = binary(i, Opcode::Power, power.operand(0), negated(i, power.operand(1)));
  return binary(i, Opcode::Multiply, i.operand(0), inverse);
}

Instruction* divideByRoot(Instruction& i) {
  const Instruction& root = *i.operand(1);
  if (root.opcode() != Opcode::Sqrt && root.opcode() != Opcode::Rsqrt) return nullptr;
  const Opcode inverse = root.opcode() == Opcode::Sqrt ? Opcode::Rsqrt : Opcode::Sqrt;
  return binary(i, Opcode::Multiply, i.operand(0), madeUnary(i, inverse, root.operand(0)));
}

// The inverse of a constant is a constant.
Instruction* divideByConstant(Instruction& i) {
  const auto divisor = splatValue(*i.operand(1));
  if (!divisor || *divisor == 0 || !isReal(i) || !isConstantLike(*i.operand(1)) ||
      !std::isfinite(1 / *divisor))
    return nullptr;
  return binary(i, Opcode::Multiply, i.operand(0), makeSplat(i, i.shape(), 1 / *divisor));
}

Instruction* divideByScalar(Instruction& i) {
  Instruction* scalar = scalarBehind(*i.operand(1));
  if (scalar == nullptr || !isReal(i) || isConstantLike(*i.operand(1)) || isConstantLike(*i.operand(0)))
    return nullptr;
  Instruction* inverse = binary(i, Opcode::Divide, makeSplat(i, scalar->shape(), 1), scalar);
  return binary(i, Opcode::Multiply, i.operand(0), madeBroadcast(i, inverse, i.shape()));
}

Instruction* divideQuotients(Instruction& i) {
  Instruction &left = *i.operand(0), &right = *i.operand(1);
  if (!isReal(i)) return nullptr;
  const bool isLeft = left.opcode() == Opcode::Divide, isRight = right.opcode() == Opcode::Divide;
  if (!isLeft && !isRight) return nullptr;
  Instruction* above = isLeft ? left.operand(0) : &left;
  Instruction* below = isRight ? right.operand(0) : &right;
  if (isRight) above = binary(i, Opcode::Multiply, above, right.operand(1));
  if (isLeft) below = binary(i, Opcode::Multiply, left.operand(1), below);
  return binary(i, Opcode::Divide, above, below);
}

Instruction* powerOfExponential(Instruction& i) {
  const Instruction& base = *i.operand(0);
  if (base.opcode() != Opcode::Exponential || !isReal(i)) return nullptr;
  return madeUnary(i, Opcode::Exponential, binary(i, Opcode::Multiply, base.operand(0), i.operand(1)));
}

Instruction* powerThree(Instruction& i) {
  Instruction* base = i.operand(0);
  return isAll(*i.operand(1), 3) ? binary(i, Opcode::Multiply, base, binary(i, Opcode::Multiply, base, base))
                                 : nullptr;
}

Instruction* powerHalf(Instruction& i) {
  return isAll(*i.operand(1), 0.5) && isReal(i) && isNotNegative(*i.operand(0))
             ? madeUnary(i, Opcode::Sqrt, i.operand(0))
             : nullptr;
}

// log(x ^ y) = y = 0 ? 0 : log(|x|) * y
Instruction* logOfPower(Instruction& i) {
  const Instruction& power = *i.operand(0);
  if (power.opcode() != Opcode::Power || !isReal(i)) return nullptr;
  Instruction *base = power.operand(0), *exponent = power.operand(1), *zero = makeSplat(i, i.shape(), 0);
  Instruction* log = madeUnary(i, Opcode::Log, madeUnary(i, Opcode::Abs, base));
  Instruction* product = binary(i, Opcode::Multiply, log, exponent);
  const Shape preds = i.shape().withElementType(ElementType::Pred);
  Instruction* isZero = i.parent().create(Opcode::Compare, preds, {exponent, zero}, {}, &i);
  isZero->set<Attr::Direction>(ComparisonDirection::Eq);
  return i.parent().create(Opcode::Select, i.shape(), {isZero, zero, product}, {}, &i);
}
Instruction* logOfSqrt(Instruction& i) { return scaledLog(i, Opcode::Sqrt, 0.5); }
Instruction* logOfRsqrt(Instruction& i) { return scaledLog(i, Opcode::Rsqrt, -0.5); }

Instruction* rsqrtOfInverse(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (!isReal(i)) return nullptr;
  if (inner.opcode() == Opcode::Power && isAll(*inner.operand(1), -2) && isNotNegative(*inner.operand(0)))
    return inner.operand(0);
  const bool isInverse =
      inner.opcode() == Opcode::Divide && isAll(*inner.operand(0), 1) && isNotNegative(*inner.operand(1));
  return isInverse ? madeUnary(i, Opcode::Sqrt, inner.operand(1)) : nullptr;
}

// The greater of two roots is the root of the greater, for functions that grow everywhere.
Instruction* greaterOfGrowing(Instruction& i) {
  const Instruction &left = *i.operand(0), &right = *i.operand(1);
  const bool grows = left.opcode() == Opcode::Cbrt || left.opcode() == Opcode::Tanh ||
                     left.opcode() == Opcode::Exponential || left.opcode() == Opcode::Logistic;
  if (!grows || right.opcode() != left.opcode() || left.users().size() != 1 || right.users().size() != 1)
    return nullptr;
  Instruction* chosen = binary(i, i.opcode(), left.operand(0), right.operand(0));
  return i.parent().createLike(left, {{chosen}}, &i);
}

// The sum of n equal elements is n times one of them.
Instruction* sumOfBroadcast(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (broadcast.opcode() != Opcode::Broadcast || i.operandCount() != 2 || combinerOf(i) != Opcode::Add ||
      broadcast.shape().isDynamic() || broadcast.shape().elementCount() == 0 || i.dimensions().empty() ||
      !isPlainArray(i.shape()) || i.shape().elementType() != broadcast.shape().elementType() ||
      i.shape().elementType() == ElementType::Pred)
    return nullptr;
  std::vector<int64_t> reduced, places;
  double count = 1;
  for (const int64_t d : i.dimensions()) {
    if (!contains(broadcast.dimensions(), d))
      count *= static_cast<double>(broadcast.shape().dimension(static_cast<size_t>(d)));
  }
  Instruction* value = broadcast.operand(0);
  std::vector<int64_t> sizes;
  for (size_t k = 0; k < broadcast.dimensions().size(); ++k) {
    const int64_t d = broadcast.dimensions()[k];
    if (contains(i.dimensions(), d)) {
      reduced.push_back(static_cast<int64_t>(k));
    } else {
      const auto gone = std::ranges::count_if(i.dimensions(), [&](int64_t r) { return r < d; });
      places.push_back(d - gone);
      sizes.push_back(value->shape().dimension(k));
    }
  }
  if (count == 1 && reduced.empty()) return nullptr;
  if (!reduced.empty()) {
    Instruction* sum =
        i.parent().create(Opcode::Reduce, arrayLike(value->shape(), i.shape().elementType(), sizes),
                          {value, i.operand(1)}, {}, &i);
    sum->set<Attr::Dimensions>(reduced);
    sum->set<Attr::ToApply>(i.get<Attr::ToApply>());
    value = sum;
  }
  const bool startsAtZero = isAll(*i.operand(1), 0);
  if (!startsAtZero && (!reduced.empty() || !isReal(i))) return nullptr;
  if (count > 1) value = binary(i, Opcode::Multiply, value, makeSplat(i, value->shape(), count));
  if (!startsAtZero) value = binary(i, Opcode::Add, value, madeBroadcast(i, i.operand(1), value->shape()));
  return madeBroadcast(i, value, i.shape(), places);
}

// Sums over pieces, added up.
Instruction* sumOfPieces(Instruction& i) {
  const Instruction& whole = *i.operand(0);
  const auto combiner = i.operandCount() == 2 ? combinerOf(i) : std::nullopt;
  if (whole.opcode() != Opcode::Concatenate || !combiner ||
      !isAll(*i.operand(1), *combiner == Opcode::Multiply ? 1 : 0) ||
      (*combiner != Opcode::Add && *combiner != Opcode::Multiply) ||
      !contains(i.dimensions(), whole.dimensions()[0]))
    return nullptr;
  Instruction* sum = nullptr;
  for (Instruction* piece : whole.operands()) {
    Instruction* part = i.parent().createLike(i, {{piece, i.operand(1)}}, &i);
    sum = sum == nullptr ? part : binary(i, *combiner, sum, part);
  }
  return sum;
}

// With enable_fast_math, which takes numbers to be real and finite.
Instruction* fastLogOfExponential(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  return inner.opcode() == Opcode::Exponential ? inner.operand(0) : nullptr;
}
Instruction* fastSqrtOfSquare(Instruction& i) {
  const Instruction& square = *i.operand(0);
  if (square.opcode() != Opcode::Multiply || square.operand(0) != square.operand(1)) return nullptr;
  return isReal(i) ? madeUnary(i, Opcode::Abs, square.operand(0)) : nullptr;
}
Instruction* fastSubtractAdd(Instruction& i) {
  const Instruction& sum = *i.operand(0);
  if (sum.opcode() != Opcode::Add) return nullptr;
  if (sum.operand(1) == i.operand(1)) return sum.operand(0);
  return sum.operand(0) == i.operand(1) ? sum.operand(1) : nullptr;
}
Instruction* fastMultiplyZero(Instruction& i) {
  for (const size_t side : {0, 1}) {
    if (isAll(*i.operand(side), 0)) return i.operand(side);
  }
  return nullptr;
}

}  // namespace hilo::algebra
