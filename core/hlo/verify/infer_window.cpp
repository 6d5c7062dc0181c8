// reduce-window and select-and-scatter.
#include <fmt/format.h>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

Result<ArrayShape> windowed(const OpView& op, Shape base, ElementType type) {
  const Window* window = op.get<Attr::Window>();
  const auto dimensions = window ? window->dimensions : std::span<const WindowDimension>();
  if (dimensions.size() != base.rank()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("the window of {} has {} dimensions, expected {} for {}", op.opcodeText,
                              dimensions.size(), base.rank(), toString(base)));
  }
  ArrayShape result(type);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    TRY(const WindowedSize size,
        windowedSize(op, dimensions[i], base.dimension(i), base.isDynamicDimension(i)));
    result.add(size.size, size.dynamic);
  }
  return result;
}

}  // namespace

InferResult inferReduceWindow(const OpView& op) {
  if (op.operands.empty() || op.operands.size() % 2 != 0) {
    return refuse(VerifyKind::OperandCount,
                  fmt::format("{} takes as many initial values as arrays, got {} operands", op.opcodeText,
                              op.operands.size()));
  }
  TRY_STATUS(expectArrays(op));
  const size_t count = op.operands.size() / 2;
  for (size_t i = 1; i < count; ++i) {
    if (sameDimensions(op.operand(0), op.operand(i))) continue;
    return refuse(VerifyKind::OperandShape, fmt::format("{} must have the sizes of operand 0, {}",
                                                        operandText(op, i), toString(op.operand(0))));
  }
  TRY(const Signature reducer, signatureOf(op, op.get<Attr::ToApply>(), "to_apply"));
  TRY_STATUS(expectReducer(op, reducer, op.operands.subspan(count), op.operands.first(count)));
  TRY(ArrayShape first, windowed(op, op.operand(0), op.operand(count).elementType()));
  if (!reducer.result.isTuple()) return first;
  std::vector<Shape> results;
  for (size_t i = 0; i < count; ++i) {
    first.type = op.operand(count + i).elementType();
    results.push_back(first.intern());
  }
  return Shape::tuple(results);
}

InferResult inferSelectAndScatter(const OpView& op) {
  TRY_STATUS(expectArrays(op));
  const Shape operand = op.operand(0), source = op.operand(1);
  TRY(const Signature select, signatureOf(op, op.get<Attr::Select>(), "select"));
  if (select.parameterCount() != 2 || !select.result.isScalar() ||
      select.result.elementType() != ElementType::Pred) {
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("the select computation must take 2 parameters and give pred[], takes "
                              "{} and gives {}",
                              select.parameterCount(), toString(select.result)));
  }
  for (size_t i = 0; i < 2; ++i) {
    const Shape parameter = select.parameter(i);
    if (parameter.isScalar() && sameElementButFloatWidth(parameter.elementType(), operand.elementType()))
      continue;
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("parameter {} of the select computation must be a {} scalar, is {}", i,
                              elementTypeName(operand.elementType()), toString(parameter)));
  }
  TRY(const Signature scatter, signatureOf(op, op.get<Attr::Scatter>(), "scatter"));
  TRY_STATUS(expectReducer(op, scatter, op.operands.subspan(2, 1), op.operands.subspan(1, 1)));
  TRY(const ArrayShape expected, windowed(op, operand, operand.elementType()));
  if (!agrees(expected, source, true)) {
    return refuse(VerifyKind::OperandShape, fmt::format("{} must have the shape the window gives, {}",
                                                        operandText(op, 1), toString(expected.intern())));
  }
  return operand;
}

}  // namespace hilo
