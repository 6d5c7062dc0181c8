// broadcast, reshape, transpose, reverse, iota and the ops on dimension sizes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

Status expectElementType(const OpView& op, Shape declared) {
  if (declared.isArray() && sameElementButFloatWidth(declared.elementType(), op.operand(0).elementType())) {
    return {};
  }
  return refuse(
      VerifyKind::ResultShape,
      fmt::format("{} of {} must give an array of {}, got {}", op.opcodeText, toString(op.operand(0)),
                  elementTypeName(op.operand(0).elementType()), toString(declared)));
}

Status expectElementCount(const OpView& op, Shape declared) {
  const Shape operand = op.operand(0);
  if (operand.elementCount() == declared.elementCount()) return {};
  if (operand.hasUnboundedDimension() || declared.hasUnboundedDimension()) return {};
  return refuse(VerifyKind::ElementCount,
                fmt::format("{} of {} ({} elements) gives {} ({} elements)", op.opcodeText, toString(operand),
                            operand.elementCount(), toString(declared), declared.elementCount()));
}

}  // namespace

InferResult inferBroadcast(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  const Shape operand = op.operand(0);
  const auto dimensions = op.get<Attr::Dimensions>();
  // Without a written result only the broadcast that changes nothing is known.
  if (!op.declared && dimensions.empty() && operand.isScalar()) return operand;
  TRY(const Shape declared, declaredShape(op));
  TRY_STATUS(expectElementType(op, declared));
  if (dimensions.size() != operand.rank()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("broadcast of {} must say where its {} dimensions go, got dimensions {}",
                              toString(operand), operand.rank(), listText(dimensions)));
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t to = dimensions[i];
    if (to < 0 || to >= static_cast<int64_t>(declared.rank())) {
      return refuse(VerifyKind::DimensionOutOfRange,
                    fmt::format("broadcast sends dimension {} of {} to {} of {}", i, toString(operand), to,
                                toString(declared)));
    }
    const int64_t size = declared.dimension(static_cast<size_t>(to));
    if (sameSize(size, operand.dimension(i))) continue;
    return refuse(
        VerifyKind::ResultShape,
        fmt::format("broadcast sends dimension {} of {} to dimension {} of {}: expected size {}, got {}", i,
                    toString(operand), to, toString(declared), operand.dimension(i), size));
  }
  return declared;
}

InferResult inferReshape(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  TRY(const Shape declared, declaredShape(op));
  TRY_STATUS(expectElementType(op, declared));
  TRY_STATUS(expectElementCount(op, declared));
  return declared;
}

InferResult inferDynamicReshape(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArray(op, 0));
  TRY(const Shape declared, declaredShape(op));
  TRY_STATUS(expectElementType(op, declared));
  TRY_STATUS(expectElementCount(op, declared));
  TRY_STATUS(expectOperands(op, declared.rank() + 1));
  for (size_t i = 1; i < op.operands.size(); ++i) {
    if (op.operand(i).elementType() == ElementType::S32) continue;
    return refuse(VerifyKind::OperandType, fmt::format("{} must be s32", operandText(op, i)));
  }
  return declared;
}

InferResult inferTranspose(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  const Shape operand = op.operand(0);
  const auto permutation = op.get<Attr::Dimensions>();
  if (permutation.size() != operand.rank()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("transpose of {} must name its {} dimensions, got {}", toString(operand),
                              operand.rank(), listText(permutation)));
  }
  TRY_STATUS(expectDimensions(op, "dimensions", permutation, operand.rank()));
  ArrayShape result(operand.elementType());
  for (int64_t from : permutation) result.addFrom(operand, static_cast<size_t>(from));
  return result;
}

InferResult inferReverse(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  TRY_STATUS(expectDimensions(op, "dimensions", op.get<Attr::Dimensions>(), op.operand(0).rank()));
  return op.operand(0);
}

InferResult inferIota(const OpView& op) {
  TRY(const Shape declared, declaredShape(op));
  if (!declared.isArray() || declared.rank() == 0 || declared.elementType() == ElementType::Pred) {
    return refuse(VerifyKind::ResultShape,
                  fmt::format("iota gives a number array of rank 1 or more, got {}", toString(declared)));
  }
  const int64_t along = op.get<Attr::IotaDimension>().value_or(-1);
  TRY_STATUS(expectDimensions(op, "iota_dimension", std::span(&along, 1), declared.rank()));
  return declared;
}

namespace {

Result<int64_t> countedDimension(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  TRY(const int64_t dimension, singleDimension(op, op.operand(0).rank()));
  const int64_t size = op.operand(0).dimension(static_cast<size_t>(dimension));
  if (size <= std::numeric_limits<int32_t>::max()) return dimension;
  return refuse(VerifyKind::OperandShape,
                fmt::format("dimension {} of {} is more than s32 counts", dimension, operandText(op, 0)));
}

}  // namespace

InferResult inferGetDimensionSize(const OpView& op) {
  TRY_STATUS(countedDimension(op));
  return ArrayShape(ElementType::S32);
}

InferResult inferSetDimensionSize(const OpView& op) {
  TRY(const int64_t dimension, countedDimension(op));
  const Shape size = op.operand(1);
  if (!size.isScalar() || size.elementType() != ElementType::S32) {
    return refuse(VerifyKind::OperandType, fmt::format("{} must be s32[]", operandText(op, 1)));
  }
  ArrayShape result(op.operand(0).elementType(), op.operand(0));
  result.dimensions[static_cast<size_t>(dimension)].dynamic = true;
  return result;
}

}  // namespace hilo
