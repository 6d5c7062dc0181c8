// Tuples, tokens, and ops whose shape is an operand's, fixed, or only declared.
#include <fmt/format.h>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

// A tuple of a tuple twice over, and so on, doubles its parts with each line of text, and every walk over the
// shape would pay for it; each level is a level of recursion for some.
constexpr size_t kMaxTupleParts = size_t{1} << 20;
constexpr int kMaxTupleDepth = 200;

// The parts of `shape` at all levels; more than `limit` when there are, or when they are nested too deep.
size_t partCount(Shape shape, size_t limit, int depth) {
  if (depth > kMaxTupleDepth) return limit + 1;
  size_t count = 1;
  for (Shape element : shape.tupleShapes()) {
    if (count > limit) break;
    count += partCount(element, limit - count, depth + 1);
  }
  return count;
}

}  // namespace

InferResult inferTuple(const OpView& op) {
  const Shape shape = Shape::tuple(op.operands);
  if (partCount(shape, kMaxTupleParts, 0) <= kMaxTupleParts) return shape;
  return refuse(VerifyKind::NotInferable,
                fmt::format("the tuple would have more than {} parts, or be nested more than {} levels deep",
                            kMaxTupleParts, kMaxTupleDepth));
}

InferResult inferGetTupleElement(const OpView& op) {
  const Shape operand = op.operand(0);
  const auto index = op.get<Attr::Index>();
  if (!index) return refuse(VerifyKind::AttributeMissing, "get-tuple-element needs index");
  if (!operand.isTuple())
    return refuse(VerifyKind::OperandType, fmt::format("{} must be a tuple", operandText(op, 0)));
  const auto elements = operand.tupleShapes();
  if (*index >= 0 && *index < static_cast<int64_t>(elements.size()))
    return elements[static_cast<size_t>(*index)];
  return refuse(VerifyKind::TupleIndex,
                fmt::format("index {} of get-tuple-element, expected 0 to {}: the tuple is {}", *index,
                            static_cast<int64_t>(elements.size()) - 1, toString(operand)));
}

InferResult inferOperandZero(const OpView& op) { return op.operand(0); }

InferResult inferSecondElement(const OpView& op) {
  const auto elements = op.operand(0).tupleShapes();
  if (elements.size() >= 2) return elements[1];
  return refuse(VerifyKind::OperandType,
                fmt::format("{} must be a tuple of two or more", operandText(op, 0)));
}

InferResult inferToken(const OpView&) { return Shape::token(); }

InferResult inferAddDependency(const OpView& op) {
  TRY_STATUS(expectToken(op, 1));
  return op.operand(0);
}

InferResult inferDeviceId(const OpView&) { return ArrayShape(ElementType::U32); }

InferResult inferRngState(const OpView&) {
  ArrayShape state(ElementType::U64);
  state.add(2, false);
  return state;
}

InferResult inferConstant(const OpView& op) {
  if (const Literal* literal = op.get<Attr::Literal>()) return literal->shape();
  return refuse(VerifyKind::AttributeMissing, "constant needs a value");
}

InferResult inferDeclared(const OpView& op) {
  TRY(const Shape declared, declaredShape(op));
  return declared;
}

}  // namespace hilo
