// slice, dynamic-slice, dynamic-update-slice, pad and concatenate.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

InferResult inferSlice(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  const Shape operand = op.operand(0);
  const auto ranges = op.get<Attr::Slice>();
  if (ranges.size() != operand.rank()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("slice has {} ranges for {}, expected {}", ranges.size(), toString(operand),
                              operand.rank()));
  }
  ArrayShape result(operand.elementType());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto [start, limit, stride] = ranges[i];
    const int64_t size = operand.dimension(i);
    if (start < 0 || start > limit || stride <= 0 || (size != kUnboundedSize && limit > size)) {
      return refuse(VerifyKind::AttributeInvalid,
                    fmt::format("slice [{}:{}:{}] of dimension {} of {}: expected 0 <= start <= limit <= {} "
                                "and a positive stride",
                                start, limit, stride, i, toString(operand), size));
    }
    const int64_t length = limit - start;
    const int64_t count = length / stride + (length % stride != 0);
    result.add(count, count != 1 && operand.isDynamicDimension(i) && size != kUnboundedSize);
  }
  return result;
}

namespace {

// Start indices from operand `first` on: one scalar a dimension, or (as once was) one vector of them.
Status expectStartIndices(const OpView& op, size_t first) {
  const size_t rank = op.operand(0).isBuffer() ? op.operand(0).bufferShape().rank() : op.operand(0).rank();
  const auto indices = op.operands.subspan(first);
  if (indices.size() == 1 && indices[0].isArray() && indices[0].rank() == 1) {
    if (isIntegral(indices[0].elementType()) && indices[0].dimension(0) == static_cast<int64_t>(rank))
      return {};
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} must be an integer vector of {}", operandText(op, first), rank));
  }
  if (indices.size() != rank) {
    return refuse(VerifyKind::OperandCount,
                  fmt::format("{} of {} takes {} start indices, got {}", op.opcodeText,
                              toString(op.operand(0)), rank, indices.size()));
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].isScalar() || !isIntegral(indices[i].elementType())) {
      return refuse(VerifyKind::OperandType,
                    fmt::format("{} must be an integer scalar", operandText(op, first + i)));
    }
    if (indices[i].elementType() != indices[0].elementType()) {
      return refuse(VerifyKind::OperandType,
                    fmt::format("{} must have the type of the other start indices, {}",
                                operandText(op, first + i), toString(indices[0])));
    }
  }
  return {};
}

}  // namespace

InferResult inferDynamicSlice(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArray(op, 0));
  TRY_STATUS(expectStartIndices(op, 1));
  const Shape operand = op.operand(0);
  const auto sizes = op.get<Attr::DynamicSliceSizes>();
  if (sizes.size() != operand.rank()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("dynamic-slice has {} dynamic_slice_sizes for {}, expected {}", sizes.size(),
                              toString(operand), operand.rank()));
  }
  ArrayShape result(operand.elementType());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t whole = operand.dimension(i);
    if (sizes[i] < 0 || (whole != kUnboundedSize && sizes[i] > whole)) {
      return refuse(VerifyKind::AttributeInvalid,
                    fmt::format("dynamic-slice takes {} of dimension {} of {}, expected 0 to {}", sizes[i], i,
                                toString(operand), whole));
    }
    result.add(sizes[i], operand.isDynamicDimension(i) && sizes[i] > 1 && sizes[i] == whole);
  }
  return result;
}

InferResult inferDynamicUpdateSlice(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 2));
  const Shape whole = op.operand(0);
  const Shape operand = whole.isBuffer() ? whole.bufferShape() : whole;
  if (!operand.isArray()) {
    return refuse(VerifyKind::OperandType,
                  fmt::format("{} must be an array or a buffer of one", operandText(op, 0)));
  }
  TRY_STATUS(expectArray(op, 1));
  TRY_STATUS(expectStartIndices(op, 2));
  const Shape update = op.operand(1);
  if (!sameElementButFloatWidth(operand.elementType(), update.elementType())) {
    return refuse(VerifyKind::OperandType, fmt::format("{} must have the element type of operand 0, {}",
                                                       operandText(op, 1), toString(operand)));
  }
  bool fits = update.rank() == operand.rank();
  for (size_t i = 0; fits && i < operand.rank(); ++i) {
    fits = operand.dimension(i) == kUnboundedSize || update.dimension(i) <= operand.dimension(i);
  }
  if (!fits) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} must fit into operand 0, {}", operandText(op, 1), toString(operand)));
  }
  if (!update.isDynamic()) return whole;
  ArrayShape result(operand.elementType(), operand);
  for (size_t i = 0; i < operand.rank(); ++i) {
    result.dimensions[i].dynamic |=
        update.isDynamicDimension(i) && update.dimension(i) == operand.dimension(i);
  }
  return result;
}

InferResult inferPad(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  const Shape operand = op.operand(0), value = op.operand(1);
  if (!value.isScalar() || !sameElementButFloatWidth(value.elementType(), operand.elementType())) {
    return refuse(VerifyKind::OperandType, fmt::format("{} must be a {} scalar", operandText(op, 1),
                                                       elementTypeName(operand.elementType())));
  }
  const auto padding = op.get<Attr::Padding>();
  if (padding.size() != operand.rank()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("pad has padding for {} dimensions of {}, expected {}", padding.size(),
                              toString(operand), operand.rank()));
  }
  ArrayShape result(higherPrecision(operand.elementType(), value.elementType()));
  for (size_t i = 0; i < padding.size(); ++i) {
    const int64_t size = operand.dimension(i);
    if (size == kUnboundedSize) {
      result.add(size, true);
      continue;
    }
    const auto between = multiplySizes(std::max<int64_t>(size - 1, 0), padding[i].interior);
    const auto withLow = addSizes(size, padding[i].low);
    const auto edges = withLow ? addSizes(*withLow, padding[i].high) : std::nullopt;
    const auto padded = between && edges ? addSizes(*edges, *between) : std::nullopt;
    if (padding[i].interior < 0 || !padded || *padded < 0) {
      return refuse(VerifyKind::AttributeInvalid,
                    fmt::format("padding {}_{}_{} of dimension {} of {} gives no valid size", padding[i].low,
                                padding[i].high, padding[i].interior, i, toString(operand)));
    }
    result.add(*padded, operand.isDynamicDimension(i));
  }
  return result;
}

namespace {

// Everything about the operands but the sizes along the joined dimension.
Result<ElementType> expectConcatenable(const OpView& op, size_t along) {
  const Shape first = op.operand(0);
  ElementType type = first.elementType();
  for (size_t i = 1; i < op.operands.size(); ++i) {
    const Shape other = op.operand(i);
    if (!sameElementButFloatWidth(type, other.elementType())) {
      return refuse(VerifyKind::OperandType, fmt::format("{} must have the element type of operand 0, {}",
                                                         operandText(op, i), toString(first)));
    }
    type = higherPrecision(type, other.elementType());
    bool fits = other.rank() == first.rank();
    for (size_t d = 0; fits && d < first.rank(); ++d) {
      fits = d == along || sameSize(first.dimension(d), other.dimension(d));
    }
    if (!fits) {
      return refuse(VerifyKind::OperandShape,
                    fmt::format("{} must have the sizes of operand 0, {}, but for dimension {}",
                                operandText(op, i), toString(first), along));
    }
  }
  return type;
}

}  // namespace

InferResult inferConcatenate(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArrays(op));
  const Shape first = op.operand(0);
  TRY(const int64_t dimension, singleDimension(op, first.rank()));
  const auto along = static_cast<size_t>(dimension);
  TRY(const ElementType type, expectConcatenable(op, along));
  ArrayShape result(type, first);
  for (size_t i = 1; i < op.operands.size(); ++i) {
    const Shape other = op.operand(i);
    for (size_t d = 0; d < first.rank(); ++d) {
      ArrayShape::Dimension& at = result.dimensions[d];
      const int64_t size = other.dimension(d);
      if (d != along) {
        // The known size where one is unbounded, dynamic where one is bounded dynamic.
        const bool bounded = (at.dynamic && at.size != kUnboundedSize) ||
                             (other.isDynamicDimension(d) && size != kUnboundedSize);
        if (at.size == kUnboundedSize) at.size = size;
        at.dynamic = bounded || at.size == kUnboundedSize;
        continue;
      }
      at.dynamic |= other.isDynamicDimension(d);
      if (at.size == kUnboundedSize || size == kUnboundedSize) {
        at.size = kUnboundedSize;
        continue;
      }
      const auto sum = addSizes(at.size, size);
      if (!sum) return refuse(VerifyKind::OperandShape, "the operands of concatenate are too long to join");
      at.size = *sum;
    }
  }
  return result;
}

}  // namespace hilo
