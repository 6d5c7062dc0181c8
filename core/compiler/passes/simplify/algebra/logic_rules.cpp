#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

// The operand for which `test` holds, and the other one.
struct Split {
  Instruction* found = nullptr;
  Instruction* other = nullptr;
};
Split split(const Instruction& instruction, bool (*test)(const Instruction&)) {
  if (test(*instruction.operand(1))) return {instruction.operand(1), instruction.operand(0)};
  if (test(*instruction.operand(0))) return {instruction.operand(0), instruction.operand(1)};
  return {};
}

bool isZero(const Instruction& value) { return isAll(value, 0); }

// Comparisons of floats are not total: nothing is known of a NaN.
bool comparesIntegers(const Instruction& compare) {
  const ElementType type = compare.operand(0)->shape().elementType();
  return isIntegral(type) || type == ElementType::Pred;
}

ComparisonDirection negated(ComparisonDirection direction) {
  using enum ComparisonDirection;
  switch (direction) {
    case Eq:
      return Ne;
    case Ne:
      return Eq;
    case Ge:
      return Lt;
    case Gt:
      return Le;
    case Le:
      return Gt;
    case Lt:
      return Ge;
  }
  return direction;
}

}  // namespace

Instruction* andZero(Instruction& i) { return split(i, isZero).found; }
Instruction* andOnes(Instruction& i) { return split(i, isAllOnes).other; }
Instruction* orZero(Instruction& i) { return split(i, isZero).other; }
Instruction* orOnes(Instruction& i) { return split(i, isAllOnes).found; }
Instruction* xorZero(Instruction& i) { return split(i, isZero).other; }

Instruction* xorSelf(Instruction& i) {
  return i.operand(0) == i.operand(1) ? makeSplat(i, i.shape(), 0) : nullptr;
}

Instruction* notNot(Instruction& i) {
  return i.operand(0)->opcode() == Opcode::Not ? i.operand(0)->operand(0) : nullptr;
}

Instruction* notCompare(Instruction& i) {
  const Instruction& compare = *i.operand(0);
  if (compare.opcode() != Opcode::Compare || compare.users().size() != 1 || !comparesIntegers(compare))
    return nullptr;
  Instruction* opposite = i.parent().createLike(compare, compare.operands(), &i);
  opposite->set<Attr::Direction>(negated(*compare.get<Attr::Direction>()));
  return opposite;
}

Instruction* shiftByZero(Instruction& i) { return isZero(*i.operand(1)) ? i.operand(0) : nullptr; }

Instruction* selectSame(Instruction& i) { return i.operand(1) == i.operand(2) ? i.operand(1) : nullptr; }

Instruction* selectConstant(Instruction& i) {
  if (isAll(*i.operand(0), 1)) return i.operand(1);
  return isZero(*i.operand(0)) ? i.operand(2) : nullptr;
}

Instruction* compareSelf(Instruction& i) {
  const auto direction = i.get<Attr::Direction>();
  if (i.operand(0) != i.operand(1) || !comparesIntegers(i) || !direction) return nullptr;
  using enum ComparisonDirection;
  const bool holds = *direction == Eq || *direction == Ge || *direction == Le;
  return makeSplat(i, i.shape(), holds);
}

}  // namespace hilo::algebra
