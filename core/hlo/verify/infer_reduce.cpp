// reduce, map, sort, topk, scan and batch norm.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

// All of these operands have the sizes of the first.
Status expectSameDimensions(const OpView& op, size_t count) {
  for (size_t i = 1; i < count; ++i) {
    if (sameDimensions(op.operand(0), op.operand(i))) continue;
    return refuse(VerifyKind::OperandShape, fmt::format("{} must have the sizes of operand 0, {}",
                                                        operandText(op, i), toString(op.operand(0))));
  }
  return {};
}

std::span<const Shape> tupleOrSelf(const Shape& shape) {
  return shape.isTuple() ? shape.tupleShapes() : std::span<const Shape>(&shape, 1);
}

}  // namespace

InferResult inferReduce(const OpView& op) {
  if (op.operands.empty() || op.operands.size() % 2 != 0) {
    return refuse(VerifyKind::OperandCount,
                  fmt::format("{} takes as many initial values as arrays, got {} operands", op.opcodeText,
                              op.operands.size()));
  }
  TRY_STATUS(expectArrays(op));
  const size_t count = op.operands.size() / 2;
  TRY_STATUS(expectSameDimensions(op, count));
  const Shape first = op.operand(0);
  const auto reduced = op.get<Attr::Dimensions>();
  TRY_STATUS(expectDimensions(op, "dimensions", reduced, first.rank()));
  TRY(const Signature reducer, signatureOf(op, op.get<Attr::ToApply>(), "to_apply"));
  TRY_STATUS(expectReducer(op, reducer, op.operands.subspan(count), op.operands.first(count)));
  ArrayShape result;
  for (size_t i = 0; i < first.rank(); ++i) {
    if (std::ranges::find(reduced, static_cast<int64_t>(i)) == reduced.end()) result.addFrom(first, i);
  }
  if (reducer.result.isArray()) {
    result.type = reducer.result.elementType();
    return result;
  }
  std::vector<Shape> results;
  for (Shape accumulator : reducer.result.tupleShapes()) {
    result.type = accumulator.elementType();
    results.push_back(result.intern());
  }
  return Shape::tuple(results);
}

InferResult inferMap(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArrays(op));
  Shape shape = op.operand(0);
  for (size_t i = 1; i < op.operands.size(); ++i) {
    const Shape other = op.operand(i);
    if (compatibleButElementType(shape, other)) continue;
    const bool sameType = sameElementButFloatWidth(shape.elementType(), other.elementType());
    if (sameType && other.isScalar()) continue;
    if (!sameType || !shape.isScalar()) {
      return refuse(VerifyKind::OperandShape,
                    fmt::format("{} must have the sizes of the operands before it, {}", operandText(op, i),
                                toString(shape)));
    }
    shape = other;
  }
  TRY(const Signature mapped, signatureOf(op, op.get<Attr::ToApply>(), "to_apply"));
  if (mapped.parameterCount() != op.operands.size()) {
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("the mapped computation takes {} parameters, map has {} operands",
                              mapped.parameterCount(), op.operands.size()));
  }
  if (!mapped.result.isScalar()) {
    return refuse(
        VerifyKind::CalledSignature,
        fmt::format("the mapped computation must give a scalar, gives {}", toString(mapped.result)));
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Shape parameter = mapped.parameter(i);
    if (parameter.isScalar() &&
        sameElementButFloatWidth(parameter.elementType(), op.operand(i).elementType()))
      continue;
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("parameter {} of the mapped computation must be a {} scalar, is {}", i,
                              elementTypeName(op.operand(i).elementType()), toString(parameter)));
  }
  return ArrayShape(mapped.result.elementType(), shape);
}

InferResult inferSort(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArrays(op));
  TRY_STATUS(expectSameDimensions(op, op.operands.size()));
  TRY_STATUS(singleDimension(op, std::max<size_t>(op.operand(0).rank(), 1)));
  TRY(const Signature order, signatureOf(op, op.get<Attr::ToApply>(), "to_apply"));
  if (!order.result.isScalar() || order.result.elementType() != ElementType::Pred) {
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("the comparison of sort must give pred[], gives {}", toString(order.result)));
  }
  if (order.parameterCount() != 2 * op.operands.size()) {
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("the comparison of sort must take {} parameters, takes {}",
                              2 * op.operands.size(), order.parameterCount()));
  }
  for (size_t i = 0; i < order.parameterCount(); ++i) {
    const ElementType type = op.operand(i / 2).elementType();
    const Shape parameter = order.parameter(i);
    if (parameter.isScalar() && sameElementButFloatWidth(parameter.elementType(), type)) continue;
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("parameter {} of the comparison of sort must be a {} scalar, is {}", i,
                              elementTypeName(type), toString(parameter)));
  }
  return op.operands.size() == 1 ? op.operand(0) : Shape::tuple(op.operands);
}

InferResult inferTopK(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  const Shape operand = op.operand(0);
  const int64_t k = op.get<Attr::K>().value_or(-1);
  if (operand.rank() == 0 || k < 0 ||
      (operand.dimensions().back() != kUnboundedSize && k > operand.dimensions().back())) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("k of topk must be between 0 and the last dimension of {}, got {}",
                              toString(operand), k));
  }
  ArrayShape values(operand.elementType(), operand);
  values.dimensions.back() = {k, false};
  ArrayShape indices = values;
  indices.type = ElementType::S32;
  const Shape both[] = {values.intern(), indices.intern()};
  return Shape::tuple(both);
}

namespace {

struct Scan {
  const OpView& op;
  size_t dimension, carries, size;
  Signature body;
};

// `whole` without the scanned dimension: what one step sees of it.
Result<Shape> stepOf(const Scan& scan, Shape whole, std::string_view what) {
  if (!whole.isArray() || scan.dimension >= whole.rank()) {
    return refuse(VerifyKind::DimensionOutOfRange,
                  fmt::format("scan goes along dimension {}, which {} {} lacks", scan.dimension, what,
                              toString(whole)));
  }
  const auto size = static_cast<int64_t>(scan.size);
  if (whole.dimension(scan.dimension) != size) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} {} of scan has size {} along dimension {}, expected {}", what,
                              toString(whole), whole.dimension(scan.dimension), scan.dimension, size));
  }
  ArrayShape step(whole.elementType());
  for (size_t i = 0; i < whole.rank(); ++i) {
    if (i != scan.dimension) step.addFrom(whole, i);
  }
  return step.intern();
}

Status expectScanParameters(const Scan& scan) {
  const size_t inputs = scan.op.operands.size() - scan.carries;
  for (size_t i = 0; i < scan.op.operands.size(); ++i) {
    Shape expected = scan.op.operand(i);
    if (i < inputs) {
      TRY(expected, stepOf(scan, expected, "input"));
    }
    if (compatibleButFloatWidth(expected, scan.body.parameter(i))) continue;
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("parameter {} of the body of scan must be {}, is {}", i, toString(expected),
                              toString(scan.body.parameter(i))));
  }
  return {};
}

}  // namespace

InferResult inferScan(const OpView& op) {
  const int64_t carries = op.get<Attr::NumCarries>().value_or(0);
  TRY(const Signature body, signatureOf(op, op.get<Attr::ToApply>(), "to_apply"));
  const auto roots = tupleOrSelf(body.result);
  const auto operandCount = static_cast<int64_t>(op.operands.size());
  const auto rootCount = static_cast<int64_t>(roots.size());
  if (carries < 0 || carries > operandCount || carries > rootCount ||
      (carries == operandCount && carries == rootCount)) {
    return refuse(
        VerifyKind::AttributeInvalid,
        fmt::format("scan has {} operands, {} results and num_carries {}", operandCount, rootCount, carries));
  }
  if (op.operands.size() != body.parameterCount()) {
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("the body of scan takes {} parameters, scan has {} operands",
                              body.parameterCount(), op.operands.size()));
  }
  const bool hasInputs = operandCount > carries;
  const Shape* sized = hasInputs ? &op.operands[0] : nullptr;
  if (!hasInputs && op.declared && !tupleOrSelf(*op.declared).empty()) sized = &tupleOrSelf(*op.declared)[0];
  if (sized == nullptr)
    return refuse(VerifyKind::NotInferable, "a scan without inputs needs its result shape");
  TRY(const int64_t dimension, singleDimension(op, sized->rank()));
  const auto at = static_cast<size_t>(dimension);
  const Scan scan{op, at, static_cast<size_t>(carries), static_cast<size_t>(sized->dimension(at)), body};
  TRY_STATUS(expectScanParameters(scan));
  std::vector<Shape> results;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (i + scan.carries >= roots.size()) {
      const Shape parameter = body.parameter(op.operands.size() - (roots.size() - i));
      if (!compatibleButFloatWidth(parameter, roots[i])) {
        return refuse(VerifyKind::CalledSignature, fmt::format("the body of scan carries {} in and {} out",
                                                               toString(parameter), toString(roots[i])));
      }
      results.push_back(roots[i]);
      continue;
    }
    if (!roots[i].isArray() || at > roots[i].rank()) {
      return refuse(VerifyKind::CalledSignature,
                    fmt::format("result {} of the body of scan, {}, has no place for dimension {}", i,
                                toString(roots[i]), at));
    }
    ArrayShape whole(roots[i].elementType(), roots[i]);
    whole.dimensions.insert(whole.dimensions.begin() + dimension,
                            {sized->dimension(at), sized->isDynamicDimension(at)});
    results.push_back(whole.intern());
  }
  // A body that gives a tuple of one leaves open whether the scan does.
  const bool isTuple = op.declared && results.size() == 1 ? op.declared->isTuple() : body.result.isTuple();
  return isTuple ? Shape::tuple(results) : results[0];
}

InferResult inferBatchNorm(const OpView& op) {
  TRY_STATUS(expectArrays(op));
  const Shape operand = op.operand(0);
  if (!isFloat(operand.elementType())) {
    return refuse(VerifyKind::OperandType, fmt::format("{} must be float", operandText(op, 0)));
  }
  const int64_t feature = op.get<Attr::FeatureIndex>().value_or(-1);
  TRY_STATUS(expectDimensions(op, "feature_index", std::span(&feature, 1), operand.rank()));
  const auto featureAt = static_cast<size_t>(feature);
  const bool isGrad = op.opcode == Opcode::BatchNormGrad;
  for (size_t i = 1; i < op.operands.size(); ++i) {
    const Shape other = op.operand(i);
    if (!sameElementButFloatWidth(other.elementType(), operand.elementType())) {
      return refuse(VerifyKind::OperandType, fmt::format("{} must be float", operandText(op, i)));
    }
    if (isGrad && i == 4) {
      if (sameDimensions(operand, other)) continue;
      return refuse(VerifyKind::OperandShape, fmt::format("{} must have the sizes of operand 0, {}",
                                                          operandText(op, i), toString(operand)));
    }
    if (other.rank() == 1 && sameSize(other.dimension(0), operand.dimension(featureAt))) continue;
    return refuse(VerifyKind::OperandShape, fmt::format("{} must have one entry a feature, {}",
                                                        operandText(op, i), operand.dimension(featureAt)));
  }
  if (op.opcode == Opcode::BatchNormInference) return operand;
  ArrayShape features(operand.elementType());
  features.addFrom(operand, featureAt);
  const Shape perFeature = features.intern();
  const Shape results[] = {operand, perFeature, perFeature};
  return Shape::tuple(results);
}

}  // namespace hilo
