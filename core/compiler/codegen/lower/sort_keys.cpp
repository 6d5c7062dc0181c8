#include "core/compiler/codegen/lower/sort_keys.h"

#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

constexpr int kDeepest = 100;  // steps, on the stack

// Whether two values are computed in the same way, one of the elements of one side and the other of those
// of the other.
class Mirror {
 public:
  explicit Mirror(bool isLeftFirst) : isLeftFirst_(isLeftFirst) {}

  bool holds(const Instruction& a, const Instruction& b, int depth = 0) {
    if (a.opcode() != b.opcode() || a.shape() != b.shape() || !a.shape().isScalar() || depth > kDeepest)
      return false;
    if (a.opcode() == Opcode::Parameter) {
      const bool isLeft = a.parameterNumber() % 2 == 0;
      return isLeft == isLeftFirst_ && b.parameterNumber() == (a.parameterNumber() ^ 1);
    }
    if (!isElementwise(a.opcode()) && a.opcode() != Opcode::Constant) return false;
    if (!seen_.insert({&a, &b}).second) return true;
    if (a.operandCount() != b.operandCount() || !sameMeaning(a, b)) return false;
    for (size_t i = 0; i < a.operandCount(); ++i) {
      if (!holds(*a.operand(i), *b.operand(i), depth + 1)) return false;
    }
    return true;
  }

 private:
  const bool isLeftFirst_;
  absl::flat_hash_set<std::pair<const Instruction*, const Instruction*>> seen_;
};

bool isComparison(const Instruction& instruction, ComparisonDirection direction) {
  return instruction.opcode() == Opcode::Compare && instruction.get<Attr::Direction>() == direction;
}

bool isTotalOrder(const Instruction& comparison) {
  return comparison.get<Attr::ComparisonTypeKind>() == ComparisonType::TotalOrder;
}

std::optional<SortKey> keyOf(const Instruction& comparison) {
  const bool less = isComparison(comparison, ComparisonDirection::Lt);
  if (!less && !isComparison(comparison, ComparisonDirection::Gt)) return std::nullopt;
  const Instruction &a = *comparison.operand(0), &b = *comparison.operand(1);
  const ElementType type = a.shape().elementType();
  const bool inOrder = Mirror(true).holds(a, b), swapped = !inOrder && Mirror(false).holds(a, b);
  if (isComplex(type) || (!inOrder && !swapped)) return std::nullopt;
  return SortKey{&a, type, less == swapped, !isFloat(type) || isTotalOrder(comparison)};
}

// Where `before` does not decide, that is where `equal` holds, `rest` does.
struct Step {
  const Instruction *before, *equal, *rest;
  bool isEqual = true;  // false: `equal` is a comparison for being unequal
};

std::vector<Step> stepsOf(const Instruction& either) {
  std::vector<Step> steps;
  if (either.opcode() == Opcode::Select) {
    const Instruction *choice = either.operand(0), *yes = either.operand(1), *no = either.operand(2);
    return {{no, choice, yes}, {yes, choice, no, false}};
  }
  if (either.opcode() != Opcode::Or) return steps;
  for (const size_t side : {0, 1}) {
    const Instruction *before = either.operand(side), *both = either.operand(1 - side);
    if (both->opcode() != Opcode::And) continue;
    for (const size_t part : {0, 1}) steps.push_back({before, both->operand(part), both->operand(1 - part)});
  }
  return steps;
}

// Where neither side is before the other the step's comparison for being equal holds.
bool holdsWhereEqual(const Step& step) {
  const auto direction = step.isEqual ? ComparisonDirection::Eq : ComparisonDirection::Ne;
  if (!isComparison(*step.equal, direction) || isTotalOrder(*step.equal) != isTotalOrder(*step.before))
    return false;
  const Instruction *a = step.before->operand(0), *b = step.before->operand(1);
  const Instruction *x = step.equal->operand(0), *y = step.equal->operand(1);
  return (a == x && b == y) || (a == y && b == x);
}

}  // namespace

std::vector<SortKey> sortKeysOf(const Computation& comparator) {
  std::vector<SortKey> keys;
  const Instruction* rest = comparator.root();
  while (rest != nullptr) {
    if (const auto last = keyOf(*rest)) {
      keys.push_back(*last);
      return keys;
    }
    const Instruction* next = nullptr;
    for (const Step& step : stepsOf(*rest)) {
      const auto key = keyOf(*step.before);
      if (!key || !holdsWhereEqual(step)) continue;
      keys.push_back(*key);
      next = step.rest;
      break;
    }
    rest = next;
  }
  return {};
}

}  // namespace hilo
