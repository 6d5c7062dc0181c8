// async-start/update/done, copy-start/done, send, recv, infeed and outfeed.
#include <fmt/format.h>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

// Whether `part` is the beginning of `whole`: the same shape, a tuple that ends early, or the empty tuple,
// which stands for what is not known yet.
bool isPrefix(Shape part, Shape whole) {
  if (compatible(part, whole) || (part.isTuple() && part.tupleShapes().empty())) return true;
  if (!part.isTuple() || !whole.isTuple() || part.tupleShapes().size() > whole.tupleShapes().size())
    return false;
  for (size_t i = 0; i < part.tupleShapes().size(); ++i) {
    if (!isPrefix(part.tupleShapes()[i], whole.tupleShapes()[i])) return false;
  }
  return true;
}

Shape parametersOf(const Signature& called) {
  std::vector<Shape> parameters;
  for (const Instruction* parameter : called.parameters) parameters.push_back(parameter->shape());
  return Shape::tuple(parameters);
}

// ((operands), result, context...).
Status expectAsyncShape(const OpView& op, Shape shape) {
  if (shape.tupleShapes().size() >= 2 && shape.tupleShapes()[0].isTuple()) return {};
  return refuse(VerifyKind::ResultShape,
                fmt::format("{} has the shape ((operand, ...), result, context...), got {}", op.opcodeText,
                            toString(shape)));
}

Status expectAsyncCall(const OpView& op, Shape shape, const Signature& called) {
  const Shape bound = shape.tupleShapes()[0], result = shape.tupleShapes()[1];
  if (!isPrefix(bound, parametersOf(called))) {
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("{} binds {}, the computation it wraps takes {}", op.opcodeText,
                              toString(bound), toString(parametersOf(called))));
  }
  if (isPrefix(result, called.result)) return {};
  return refuse(VerifyKind::CalledSignature,
                fmt::format("{} gives {}, the computation it wraps {}", op.opcodeText, toString(result),
                            toString(called.result)));
}

Status expectBoundOperands(const OpView& op, Shape bound, size_t firstOperand, size_t firstBound) {
  const auto elements = bound.tupleShapes();
  TRY_STATUS(expectOperands(op, firstOperand + elements.size() - std::min(firstBound, elements.size())));
  for (size_t i = firstBound; i < elements.size(); ++i) {
    const size_t operand = firstOperand + i - firstBound;
    if (compatible(elements[i], op.operand(operand))) continue;
    return refuse(VerifyKind::OperandShape, fmt::format("{} must have the bound shape {}",
                                                        operandText(op, operand), toString(elements[i])));
  }
  return {};
}

Result<Shape> elementOf(const OpView& op, size_t operand, size_t index) {
  const auto elements = op.operand(operand).tupleShapes();
  if (index < elements.size()) return elements[index];
  return refuse(VerifyKind::OperandType,
                fmt::format("{} must be a tuple with element {}", operandText(op, operand), index));
}

}  // namespace

InferResult inferAsyncStart(const OpView& op) {
  TRY(const Signature called, signatureOf(op, op.get<Attr::Calls>(), "calls"));
  if (op.declared) {
    const Shape declared = *op.declared;
    TRY_STATUS(expectAsyncShape(op, declared));
    TRY_STATUS(expectAsyncCall(op, declared, called));
    TRY_STATUS(expectBoundOperands(op, declared.tupleShapes()[0], 0, 0));
    return declared;
  }
  const Shape parts[] = {Shape::tuple(op.operands), called.result};
  const Shape shape = Shape::tuple(parts);
  TRY_STATUS(expectAsyncCall(op, shape, called));
  return shape;
}

InferResult inferAsyncUpdate(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  const Shape before = op.operand(0);
  TRY_STATUS(expectAsyncShape(op, before));
  if (!op.declared) {
    TRY_STATUS(expectOperands(op, 1));
    return before;
  }
  const Shape declared = *op.declared;
  TRY_STATUS(expectAsyncShape(op, declared));
  for (size_t i = 0; i < 2; ++i) {
    if (isPrefix(before.tupleShapes()[i], declared.tupleShapes()[i])) continue;
    return refuse(VerifyKind::ResultShape, fmt::format("{} must extend what it updates, {}, got {}",
                                                       op.opcodeText, toString(before), toString(declared)));
  }
  TRY_STATUS(
      expectBoundOperands(op, declared.tupleShapes()[0], 1, before.tupleShapes()[0].tupleShapes().size()));
  if (const Computation* called = op.get<Attr::Calls>()) {
    TRY(const Signature signature, signatureOf(op, called, "calls"));
    TRY_STATUS(expectAsyncCall(op, declared, signature));
  }
  return declared;
}

InferResult inferAsyncDone(const OpView& op) {
  TRY_STATUS(expectAsyncShape(op, op.operand(0)));
  Shape result = op.operand(0).tupleShapes()[1];
  // A chain may leave its result open until the end.
  if (op.declared && isPrefix(result, *op.declared)) result = *op.declared;
  const Computation* called = op.get<Attr::Calls>();
  if (called == nullptr) return result;
  TRY(const Signature signature, signatureOf(op, called, "calls"));
  if (isPrefix(result, signature.result)) return signature.result;
  return refuse(VerifyKind::CalledSignature,
                fmt::format("{} gives {}, the computation it wraps {}", op.opcodeText, toString(result),
                            toString(signature.result)));
}

InferResult inferCopyStart(const OpView& op) {
  const Shape parts[] = {op.operand(0), op.operand(0), Shape::scalar(ElementType::U32)};
  return Shape::tuple(parts);
}

InferResult inferCopyDone(const OpView& op) {
  TRY(const Shape destination, elementOf(op, 0, 0));
  TRY(const Shape source, elementOf(op, 0, 1));
  if (compatible(destination, source)) return destination;
  return refuse(VerifyKind::OperandShape,
                fmt::format("copy-done ends a copy from {} to {}, expected one shape", toString(source),
                            toString(destination)));
}

InferResult inferSend(const OpView& op) {
  TRY_STATUS(expectToken(op, 1));
  const Shape parts[] = {op.operand(0), Shape::scalar(ElementType::U32), Shape::token()};
  return Shape::tuple(parts);
}

namespace {

// Element 0 of a declared tuple: what arrives from elsewhere is known only from there.
Result<Shape> declaredPayload(const OpView& op) {
  TRY(const Shape declared, declaredShape(op));
  if (!declared.tupleShapes().empty()) return declared.tupleShapes()[0];
  return refuse(VerifyKind::ResultShape,
                fmt::format("{} gives a tuple, got {}", op.opcodeText, toString(declared)));
}

}  // namespace

InferResult inferRecv(const OpView& op) {
  TRY_STATUS(expectToken(op, 0));
  TRY(const Shape payload, declaredPayload(op));
  const Shape parts[] = {payload, Shape::scalar(ElementType::U32), Shape::token()};
  return Shape::tuple(parts);
}

InferResult inferRecvDone(const OpView& op) {
  TRY(const Shape payload, elementOf(op, 0, 0));
  const Shape parts[] = {payload, Shape::token()};
  return Shape::tuple(parts);
}

InferResult inferInfeed(const OpView& op) {
  TRY_STATUS(expectToken(op, 0));
  TRY(const Shape payload, declaredPayload(op));
  const Shape parts[] = {payload, Shape::token()};
  return Shape::tuple(parts);
}

InferResult inferOutfeed(const OpView& op) {
  TRY_STATUS(expectToken(op, 1));
  const auto shape = op.get<Attr::OutfeedShape>();
  if (shape && !compatible(*shape, op.operand(0))) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} must have the outfeed_shape {}", operandText(op, 0), toString(*shape)));
  }
  return Shape::token();
}

}  // namespace hilo
