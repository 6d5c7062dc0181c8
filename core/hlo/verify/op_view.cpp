#include "core/hlo/verify/op_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace hilo {

ArrayShape::ArrayShape(ElementType elementType, Shape shape) : type(elementType) {
  for (size_t i = 0; i < shape.rank(); ++i) addFrom(shape, i);
}

Shape ArrayShape::intern() const {
  absl::InlinedVector<int64_t, 6> sizes;
  absl::InlinedVector<bool, 6> dynamic;
  for (const Dimension& d : dimensions) {
    sizes.push_back(d.size);
    dynamic.push_back(d.dynamic || d.size == kUnboundedSize);
  }
  return Shape::dynamicArray(type, std::span<const int64_t>(sizes.data(), sizes.size()),
                             std::span<const bool>(dynamic.data(), dynamic.size()));
}

Shape internShape(const InferredShape& inferred) {
  const auto* array = std::get_if<ArrayShape>(&inferred);
  return array == nullptr ? std::get<Shape>(inferred) : array->intern();
}

bool agrees(const InferredShape& inferred, Shape actual, bool anyFloatWidth) {
  if (const auto* shape = std::get_if<Shape>(&inferred)) {
    return *shape == actual || compatible(*shape, actual, {.ignoreFloatWidth = anyFloatWidth});
  }
  const auto& array = std::get<ArrayShape>(inferred);
  if (!actual.isArray()) return false;
  const ElementType type = actual.elementType();
  if (type != array.type && !(anyFloatWidth && isFloat(type) && isFloat(array.type))) return false;
  return std::ranges::equal(
      array.dimensions, actual.dimensions(),
      [](const ArrayShape::Dimension& d, int64_t size) { return sameSize(d.size, size); });
}

std::string listText(std::span<const int64_t> values) {
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

std::string operandText(const OpView& op, size_t index) {
  return fmt::format("operand {} of {} ({})", index, op.opcodeText, toString(op.operand(index)));
}

Status expectOperands(const OpView& op, size_t count) {
  if (op.operands.size() == count) return {};
  return refuse(VerifyKind::OperandCount, fmt::format("{} takes {} operand{}, got {}", op.opcodeText, count,
                                                      count == 1 ? "" : "s", op.operands.size()));
}

Status expectOperandsAtLeast(const OpView& op, size_t count) {
  if (op.operands.size() >= count) return {};
  return refuse(VerifyKind::OperandCount, fmt::format("{} takes at least {} operand{}, got {}", op.opcodeText,
                                                      count, count == 1 ? "" : "s", op.operands.size()));
}

Status expectArray(const OpView& op, size_t operand) {
  if (op.operand(operand).isArray()) return {};
  return refuse(VerifyKind::OperandType, fmt::format("{} must be an array", operandText(op, operand)));
}

Status expectArrays(const OpView& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) TRY_STATUS(expectArray(op, i));
  return {};
}

Status expectToken(const OpView& op, size_t operand) {
  if (op.operand(operand).isToken()) return {};
  return refuse(VerifyKind::OperandType, fmt::format("{} must be a token", operandText(op, operand)));
}

Status expectDimensions(const OpView& op, std::string_view what, std::span<const int64_t> dimensions,
                        size_t rank) {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= static_cast<int64_t>(rank)) {
      return refuse(VerifyKind::DimensionOutOfRange,
                    fmt::format("{} of {} names dimension {}, expected 0 to {} (rank {})", what,
                                op.opcodeText, dimensions[i], static_cast<int64_t>(rank) - 1, rank));
    }
  }
  // Once all are in range, more than `rank` numbers repeat one; the pairwise search below stays bounded.
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (std::ranges::find(dimensions.first(i), dimensions[i]) !=
        dimensions.begin() + static_cast<int64_t>(i)) {
      return refuse(VerifyKind::DimensionRepeated,
                    fmt::format("{} of {} names dimension {} twice: {}", what, op.opcodeText, dimensions[i],
                                listText(dimensions)));
    }
  }
  return {};
}

Result<int64_t> singleDimension(const OpView& op, size_t rank) {
  const auto dimensions = op.get<Attr::Dimensions>();
  if (dimensions.size() != 1) {
    return refuse(
        VerifyKind::AttributeInvalid,
        fmt::format("dimensions of {} must name one dimension, got {}", op.opcodeText, listText(dimensions)));
  }
  TRY_STATUS(expectDimensions(op, "dimensions", dimensions, rank));
  return dimensions[0];
}

Result<Shape> declaredShape(const OpView& op) {
  if (op.declared) return *op.declared;
  return refuse(VerifyKind::NotInferable,
                fmt::format("the shape of {} does not follow from its operands", op.opcodeText),
                "write the result shape before the opcode");
}

Result<Signature> signatureOf(const OpView& op, const Computation* computation, std::string_view attribute) {
  if (computation == nullptr) {
    return refuse(VerifyKind::AttributeMissing, fmt::format("{} needs {}", op.opcodeText, attribute));
  }
  if (computation->root() == nullptr) {
    return refuse(
        VerifyKind::ComputationIncomplete,
        fmt::format("{} of {}, computation {}, has no root", attribute, op.opcodeText, computation->name()));
  }
  for (size_t i = 0; i < computation->parameters().size(); ++i) {
    if (computation->parameters()[i] == nullptr) {
      return refuse(VerifyKind::ComputationIncomplete,
                    fmt::format("{} of {}, computation {}, lacks parameter {}", attribute, op.opcodeText,
                                computation->name(), i));
    }
  }
  return Signature{computation->parameters(), computation->root()->shape()};
}

namespace {

std::unexpected<Diagnostic> refuseReducer(const OpView& op, std::string message) {
  return refuse(VerifyKind::CalledSignature,
                fmt::format("the reduction computation of {} {}", op.opcodeText, message));
}

bool isScalarOf(Shape shape, ElementType type) {
  return shape.isScalar() && sameElementButFloatWidth(shape.elementType(), type);
}

}  // namespace

Status expectReducer(const OpView& op, const Signature& reducer, std::span<const Shape> initialValues,
                     std::span<const Shape> inputs) {
  const size_t count = inputs.size();
  if (reducer.parameterCount() != 2 * count) {
    return refuseReducer(
        op, fmt::format("must take {} parameters, takes {}", 2 * count, reducer.parameterCount()));
  }
  const Shape& result = reducer.result;
  const bool isTuple = result.isTuple();
  const auto results = isTuple ? result.tupleShapes() : std::span<const Shape>(&result, 1);
  if (results.size() != count) {
    return refuseReducer(op, fmt::format("must give {} values, gives {}", count, toString(result)));
  }
  for (size_t i = 0; i < count; ++i) {
    const Shape accumulator = results[i];
    if (!accumulator.isScalar()) {
      return refuseReducer(op, fmt::format("must give scalars, gives {}", toString(result)));
    }
    const ElementType type = accumulator.elementType();
    if (!compatible(accumulator, reducer.parameter(i))) {
      return refuseReducer(op, fmt::format("takes {} as parameter {} but gives {}",
                                           toString(reducer.parameter(i)), i, toString(accumulator)));
    }
    const Shape initial = initialValues[i];
    if (!isScalarOf(initial, type)) {
      return refuseReducer(op, fmt::format("accumulates {}, the initial value is {}", toString(accumulator),
                                           toString(initial)));
    }
    const Shape input = reducer.parameter(count + i);
    if (!isScalarOf(input, inputs[i].elementType()) || !isScalarOf(input, type)) {
      return refuseReducer(
          op, fmt::format("takes {} as parameter {}; the values reduced are {} and it accumulates {}",
                          toString(input), count + i, elementTypeName(inputs[i].elementType()),
                          toString(accumulator)));
    }
  }
  return {};
}

std::optional<int64_t> multiplySizes(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional(product);
}

std::optional<int64_t> addSizes(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}

}  // namespace hilo
