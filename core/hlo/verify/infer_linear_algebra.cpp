// fft, triangular-solve and cholesky.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

Status expectFloatOrComplex(const OpView& op, size_t operand) {
  TRY_STATUS(expectArray(op, operand));
  const ElementType type = op.operand(operand).elementType();
  if (isFloat(type) || isComplex(type)) return {};
  return refuse(VerifyKind::OperandType,
                fmt::format("{} must be float or complex", operandText(op, operand)));
}

Status expectSquare(const OpView& op, size_t operand) {
  const Shape shape = op.operand(operand);
  const auto sizes = shape.dimensions();
  if (sizes.size() >= 2 && sameSize(sizes[sizes.size() - 1], sizes[sizes.size() - 2])) return {};
  return refuse(
      VerifyKind::OperandShape,
      fmt::format("{} must have square matrices as its last two dimensions", operandText(op, operand)));
}

// The innermost dimensions must be the lengths, but for the last one when `lastIsHalf`.
Status expectTransformed(const OpView& op, std::span<const int64_t> lengths, bool lastIsHalf) {
  const Shape operand = op.operand(0);
  for (size_t i = 0; i < lengths.size(); ++i) {
    const size_t dimension = operand.rank() - lengths.size() + i;
    const bool isLast = i + 1 == lengths.size();
    const int64_t size = operand.dimension(dimension);
    int64_t expected = lengths[i];
    if (isLast && lastIsHalf) expected = size == 0 && lengths[i] == 0 ? 0 : lengths[i] / 2 + 1;
    if (sameSize(size, expected)) continue;
    return refuse(VerifyKind::OperandShape,
                  fmt::format("dimension {} of {} must be {} by fft_length {}", dimension, operandText(op, 0),
                              expected, listText(lengths)));
  }
  return {};
}

}  // namespace

InferResult inferFft(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  const Shape operand = op.operand(0);
  const auto lengths = op.get<Attr::FftLength>();
  if (lengths.empty() || lengths.size() > 3 || lengths.size() > operand.rank()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("fft_length must give 1 to 3 of the dimensions of {}, got {}",
                              toString(operand), listText(lengths)));
  }
  const auto type = op.get<Attr::FftTypeKind>();
  if (!type) return refuse(VerifyKind::AttributeMissing, "fft needs fft_type");
  const ElementType element = operand.elementType();
  const bool wantsReal = *type == FftType::Rfft;
  if (wantsReal ? element != ElementType::F32 && element != ElementType::F64 : !isComplex(element)) {
    return refuse(VerifyKind::OperandType,
                  fmt::format("{} must be {} for {}", operandText(op, 0),
                              wantsReal ? "f32 or f64" : "complex", enumText(*type)));
  }
  if (*type == FftType::Fft || *type == FftType::Ifft) return operand;
  TRY_STATUS(expectTransformed(op, lengths, *type == FftType::Irfft));
  ArrayShape result(operand.elementType(), operand);
  ArrayShape::Dimension& last = result.dimensions.back();
  const bool dynamic = last.dynamic && last.size != kUnboundedSize;
  if (*type == FftType::Rfft) {
    result.type = element == ElementType::F32 ? ElementType::C64 : ElementType::C128;
    if (lengths.back() != 0) last = {lengths.back() / 2 + 1, dynamic};
  } else {
    result.type = complexComponent(element);
    last = {lengths.back(), dynamic};
  }
  return result;
}

InferResult inferTriangularSolve(const OpView& op) {
  TRY_STATUS(expectFloatOrComplex(op, 0));
  TRY_STATUS(expectFloatOrComplex(op, 1));
  const Shape a = op.operand(0), b = op.operand(1);
  if (a.elementType() != b.elementType()) {
    return refuse(VerifyKind::OperandType, fmt::format("{} must have the element type of operand 0, {}",
                                                       operandText(op, 1), toString(a)));
  }
  TRY_STATUS(expectSquare(op, 0));
  const size_t rank = a.rank();
  const size_t shared = rank - (op.get<Attr::LeftSide>().value_or(false) ? 2 : 1);
  if (b.rank() != rank || !sameSize(b.dimension(shared), a.dimension(rank - 1)) ||
      !std::ranges::equal(a.dimensions().first(rank - 2), b.dimensions().first(rank - 2))) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} must have the batch sizes of operand 0, {}, and {} as dimension {}",
                              operandText(op, 1), toString(a), a.dimension(rank - 1), shared));
  }
  if (op.get<Attr::TransposeAKind>() == TransposeA::Invalid) {
    return refuse(VerifyKind::AttributeInvalid,
                  "transpose_a of triangular-solve must not be TRANSPOSE_INVALID");
  }
  return b;
}

InferResult inferCholesky(const OpView& op) {
  TRY_STATUS(expectFloatOrComplex(op, 0));
  TRY_STATUS(expectSquare(op, 0));
  return op.operand(0);
}

}  // namespace hilo
