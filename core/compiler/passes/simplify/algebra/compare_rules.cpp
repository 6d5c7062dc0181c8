// Comparisons, and what chooses by them.
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

using Direction = ComparisonDirection;

bool isIntegerOrPred(const Instruction& i) {
  return i.shape().isArray() &&
         (isIntegral(i.shape().elementType()) || i.shape().elementType() == ElementType::Pred);
}

Instruction* comparedAs(Instruction& like, Direction direction, Instruction* a, Instruction* b) {
  Instruction* made = like.parent().createLike(like, {{a, b}}, &like);
  made->set<Attr::Direction>(direction);
  return made;
}

bool holds(Direction direction, double a, double b) {
  switch (direction) {
    case Direction::Eq:
      return a == b;
    case Direction::Ne:
      return a != b;
    case Direction::Lt:
      return a < b;
    case Direction::Le:
      return a <= b;
    case Direction::Gt:
      return a > b;
    case Direction::Ge:
      return a >= b;
  }
  return false;
}

// x < c, also where it is written c > x.
struct Bound {
  Instruction* value = nullptr;
  double limit = 0;
};

std::optional<Bound> upperBound(const Instruction& compare) {
  if (compare.opcode() != Opcode::Compare || !isIntegerOrPred(*compare.operand(0))) return std::nullopt;
  const auto direction = compare.get<Attr::Direction>();
  if (direction == Direction::Lt) {
    if (const auto limit = splatValue(*compare.operand(1))) return Bound{compare.operand(0), *limit};
  }
  if (direction == Direction::Gt) {
    if (const auto limit = splatValue(*compare.operand(0))) return Bound{compare.operand(1), *limit};
  }
  return std::nullopt;
}

}  // namespace

Instruction* selectByOwnComparison(Instruction& i) {
  const Instruction& compare = *i.operand(0);
  if (compare.opcode() != Opcode::Compare || compare.operand(0) != i.operand(1) ||
      compare.operand(1) != i.operand(2) || !isIntegerOrPred(i))
    return nullptr;
  const auto direction = compare.get<Attr::Direction>();
  if (direction == Direction::Eq) return i.operand(2);
  if (direction == Direction::Ne) return i.operand(1);
  if (i.shape().elementType() != ElementType::Pred) return nullptr;
  const bool isGreater = direction == Direction::Gt || direction == Direction::Ge;
  return i.parent().create(isGreater ? Opcode::Or : Opcode::And, i.shape(), {i.operand(1), i.operand(2)}, {},
                           &i);
}

Instruction* compareWithMinimum(Instruction& i) {
  const Instruction& right = *i.operand(1);
  const auto direction = i.get<Attr::Direction>();
  const bool applies = (direction == Direction::Gt && right.opcode() == Opcode::Minimum) ||
                       (direction == Direction::Lt && right.opcode() == Opcode::Maximum);
  if (!applies || isComplex(i.operand(0)->shape().elementType())) return nullptr;
  for (const size_t side : {0, 1}) {
    if (right.operand(side) == i.operand(0))
      return comparedAs(i, *direction, i.operand(0), right.operand(1 - side));
  }
  return nullptr;
}

Instruction* compareZeroLeft(Instruction& i) {
  if (!isUnsigned(i.operand(1)->shape().elementType()) || !isAll(*i.operand(0), 0)) return nullptr;
  const auto direction = i.get<Attr::Direction>();
  if (direction != Direction::Gt && direction != Direction::Le) return nullptr;
  return makeSplat(i, i.shape(), direction == Direction::Le ? 1 : 0);
}

Instruction* compareChosen(Instruction& i) {
  const Instruction& select = *i.operand(0);
  const auto against = splatValue(*i.operand(1));
  if (select.opcode() != Opcode::Select || !against || select.operand(0)->shape() != i.shape())
    return nullptr;
  const auto whenTrue = splatValue(*select.operand(1)), whenFalse = splatValue(*select.operand(2));
  const auto direction = i.get<Attr::Direction>();
  if (!whenTrue || !whenFalse || !direction) return nullptr;
  const bool a = holds(*direction, *whenTrue, *against), b = holds(*direction, *whenFalse, *against);
  if (a == b) return makeSplat(i, i.shape(), a ? 1 : 0);
  return a ? select.operand(0) : i.parent().create(Opcode::Not, i.shape(), {select.operand(0)}, {}, &i);
}

Instruction* bothBounds(Instruction& i) {
  const auto a = upperBound(*i.operand(0)), b = upperBound(*i.operand(1));
  if (!a || !b || a->value != b->value) return nullptr;
  return i.operand(a->limit <= b->limit ? 0 : 1);
}

Instruction* clampClamp(Instruction& i) {
  Instruction* inner = i.operand(1);
  const bool isSame = inner->opcode() == Opcode::Clamp && inner->operand(0) == i.operand(0) &&
                      inner->operand(2) == i.operand(2);
  return isSame ? inner : nullptr;
}

}  // namespace hilo::algebra
