#include <numeric>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

// Every value of `from` is a value of `to`.
bool holdsExactly(ElementType from, ElementType to) {
  if (from == to) return true;
  if (from == ElementType::Pred) return isIntegral(to) || (isFloat(to) && elementBits(to) >= 16);
  if (isIntegral(from) && isIntegral(to)) {
    return isSigned(from) == isSigned(to) ? elementBits(from) < elementBits(to)
                                          : isUnsigned(from) && elementBits(from) < elementBits(to);
  }
  if (isFloat(from) && isFloat(to)) {
    if (to == ElementType::F64) return true;
    return to == ElementType::F32 && elementBits(from) < 32;
  }
  return false;
}

}  // namespace

Instruction* sameShapeOperand(Instruction& i) {
  return i.operand(0)->shape() == i.shape() ? i.operand(0) : nullptr;
}

Instruction* convertBack(Instruction& i) {
  const Instruction& wide = *i.operand(0);
  if (wide.opcode() != Opcode::Convert) return nullptr;
  Instruction* source = wide.operand(0);
  const bool lossless = holdsExactly(source->shape().elementType(), wide.shape().elementType());
  return lossless && source->shape() == i.shape() ? source : nullptr;
}

Instruction* convertOfNumber(Instruction& i) {
  const auto number = splatValue(*i.operand(0));
  if (i.operand(0)->opcode() != Opcode::Constant || !number || i.shape().rank() != 0) return nullptr;
  Instruction* made = makeSplat(i, i.shape(), *number);
  return isAll(*made, *number) ? made : nullptr;
}

Instruction* reshapeOfNothing(Instruction& i) {
  if (i.shape().elementCount() != 0 || i.shape().isDynamic() || i.operand(0)->opcode() == Opcode::Constant)
    return nullptr;
  return i.parent().createConstant(Literal(i.shape()), &i);
}

Instruction* reshapeReshape(Instruction& i) {
  Instruction* inner = i.operand(0);
  if (inner->opcode() != Opcode::Reshape || i.shape().isDynamic() || inner->operand(0)->shape().isDynamic())
    return nullptr;
  if (inner->operand(0)->shape() == i.shape()) return inner->operand(0);
  return i.parent().createLike(i, {{inner->operand(0)}}, &i);
}

// Elements may be split or joined by one of them, so that only the outer types have to agree.
Instruction* bitcastBitcast(Instruction& i) {
  Instruction* inner = i.operand(0);
  if (inner->opcode() != Opcode::Bitcast) return nullptr;
  if (inner->operand(0)->shape() == i.shape()) return inner->operand(0);
  return i.parent().createLike(i, {{inner->operand(0)}}, &i);
}

Instruction* broadcastIota(Instruction& i) {
  const Instruction& iota = *i.operand(0);
  if (iota.opcode() != Opcode::Iota || i.shape().isDynamic()) return nullptr;
  Instruction* whole = i.parent().createLike(iota, {}, &i);
  whole->setShape(i.shape());
  whole->set<Attr::IotaDimension>(i.dimensions()[static_cast<size_t>(*iota.get<Attr::IotaDimension>())]);
  return whole;
}

Instruction* transposeIdentity(Instruction& i) {
  return std::ranges::is_sorted(i.dimensions()) && i.operand(0)->shape() == i.shape() ? i.operand(0)
                                                                                      : nullptr;
}

Instruction* transposeTranspose(Instruction& i) {
  Instruction* inner = i.operand(0);
  if (inner->opcode() != Opcode::Transpose) return nullptr;
  std::vector<int64_t> permutation;
  for (int64_t dimension : i.dimensions()) permutation.push_back(inner->dimensions()[dimension]);
  if (std::ranges::is_sorted(permutation) && inner->operand(0)->shape() == i.shape())
    return inner->operand(0);
  Instruction* once = i.parent().createLike(i, {{inner->operand(0)}}, &i);
  once->set<Attr::Dimensions>(permutation);
  return once;
}

Instruction* broadcastToSame(Instruction& i) {
  return i.operand(0)->shape() == i.shape() && std::ranges::is_sorted(i.dimensions()) ? i.operand(0)
                                                                                      : nullptr;
}

Instruction* broadcastBroadcast(Instruction& i) {
  Instruction* inner = i.operand(0);
  if (inner->opcode() != Opcode::Broadcast) return nullptr;
  std::vector<int64_t> dimensions;
  for (int64_t dimension : inner->dimensions()) dimensions.push_back(i.dimensions()[dimension]);
  Instruction* once = i.parent().createLike(i, {{inner->operand(0)}}, &i);
  once->set<Attr::Dimensions>(dimensions);
  return once;
}

Instruction* reverseNothing(Instruction& i) {
  const bool nothing =
      std::ranges::all_of(i.dimensions(), [&](int64_t d) { return i.shape().dimension(d) == 1; });
  return nothing ? i.operand(0) : nullptr;
}

Instruction* reverseReverse(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (inner.opcode() != Opcode::Reverse) return nullptr;
  return std::ranges::is_permutation(i.dimensions(), inner.dimensions()) ? inner.operand(0) : nullptr;
}

Instruction* concatenateOne(Instruction& i) { return i.operandCount() == 1 ? i.operand(0) : nullptr; }

Instruction* concatenateEmpty(Instruction& i) {
  std::vector<Instruction*> kept;
  for (Instruction* operand : i.operands()) {
    if (operand->shape().elementCount() != 0) kept.push_back(operand);
  }
  if (kept.size() == i.operandCount()) return nullptr;
  if (kept.empty()) return i.operand(0);
  return i.parent().createLike(i, kept, &i);
}

// reduce(x, init) over no dimension is f(init, x) elementwise: x when f is an addition and init is 0, or a
// multiplication and init is 1.
Instruction* reduceNothing(Instruction& i) {
  if (i.operandCount() != 2 || !i.dimensions().empty()) return nullptr;
  const Computation* reducer = i.get<Attr::ToApply>();
  if (reducer == nullptr || reducer->root() == nullptr || reducer->instructionCount() != 3) return nullptr;
  const bool sums = reducer->root()->opcode() == Opcode::Add && isAll(*i.operand(1), 0);
  const bool multiplies = reducer->root()->opcode() == Opcode::Multiply && isAll(*i.operand(1), 1);
  const bool ofBoth = std::ranges::is_permutation(reducer->root()->operands(), reducer->parameters());
  return (sums || multiplies) && ofBoth ? i.operand(0) : nullptr;
}

Instruction* iotaOfOne(Instruction& i) {
  const int64_t dimension = i.get<Attr::IotaDimension>().value_or(0);
  return i.shape().rank() != 0 && i.shape().dimension(dimension) == 1 ? makeSplat(i, i.shape(), 0) : nullptr;
}

Instruction* copyCopy(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (inner.opcode() != Opcode::Copy) return nullptr;
  return i.parent().createLike(i, {{inner.operand(0)}}, &i);
}

}  // namespace hilo::algebra
