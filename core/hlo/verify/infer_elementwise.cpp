// Elementwise ops: element types each takes and gives, operands of one shape.
#include <fmt/format.h>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

// Which element classes an op takes.
enum Classes : unsigned { kPred = 1, kSigned = 2, kUnsigned = 4, kFloat = 8, kComplex = 16 };
constexpr unsigned kIntegral = kSigned | kUnsigned;
constexpr unsigned kFloatOrComplex = kFloat | kComplex;
constexpr unsigned kAll = kPred | kIntegral | kFloatOrComplex;

unsigned classBit(ElementType type) {
  switch (elementClass(type)) {
    case ElementClass::Pred:
      return kPred;
    case ElementClass::Signed:
      return kSigned;
    case ElementClass::Unsigned:
      return kUnsigned;
    case ElementClass::Float:
      return kFloat;
    case ElementClass::Complex:
      return kComplex;
    case ElementClass::Other:
      return 0;
  }
  return 0;
}

unsigned takenClasses(Opcode opcode) {
  switch (opcode) {
    case Opcode::Floor:
    case Opcode::Ceil:
    case Opcode::Cbrt:
    case Opcode::Erf:
    case Opcode::RoundNearestAfz:
    case Opcode::RoundNearestEven:
    case Opcode::IsFinite:
    case Opcode::ReducePrecision:
    case Opcode::Complex:
      return kFloat;
    case Opcode::Abs:
    case Opcode::Sign:
      return kSigned | kFloatOrComplex;
    case Opcode::Negate:
      return kIntegral | kFloatOrComplex;
    case Opcode::CountLeadingZeros:
    case Opcode::Popcnt:
      return kIntegral;
    case Opcode::Not:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return kPred | kIntegral;
    case Opcode::Add:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Multiply:
    case Opcode::Mulhi:
    case Opcode::Compare:
      return kAll;
    case Opcode::Subtract:
    case Opcode::Divide:
    case Opcode::Power:
    case Opcode::Remainder:
    case Opcode::ShiftLeft:
    case Opcode::ShiftRightArithmetic:
    case Opcode::ShiftRightLogical:
      return kAll & ~kPred;
    default:
      return kFloatOrComplex;  // the transcendental ones, real, imag, atan2
  }
}

std::string classesText(unsigned classes) {
  if (classes == kAll) return "an array";
  std::string text;
  const auto add = [&](unsigned bit, std::string_view name) {
    if ((classes & bit) != bit) return;
    if (!text.empty()) text += " or ";
    text += name;
  };
  add(kPred, "pred");
  if ((classes & kIntegral) == kIntegral) {
    add(kIntegral, "integer");
  } else {
    add(kSigned, "signed integer");
  }
  add(kFloat, "float");
  add(kComplex, "complex");
  return text;
}

Status expectClass(const OpView& op, size_t operand) {
  const unsigned taken = takenClasses(op.opcode);
  if ((taken & classBit(op.operand(operand).elementType())) != 0) return {};
  return refuse(VerifyKind::OperandType,
                fmt::format("{} must be {}", operandText(op, operand), classesText(taken)));
}

ElementType unaryResultType(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::IsFinite:
      return ElementType::Pred;
    case Opcode::Real:
    case Opcode::Imag:
    case Opcode::Abs:
      return isComplex(type) ? complexComponent(type) : type;
    default:
      return type;
  }
}

InferredShape withType(Shape shape, ElementType type) {
  if (shape.elementType() == type) return shape;
  return ArrayShape(type, shape);
}

Result<ElementType> complexOf(const OpView& op, ElementType a, ElementType b) {
  if (a == b && a == ElementType::F32) return ElementType::C64;
  if (a == b && a == ElementType::F64) return ElementType::C128;
  return refuse(VerifyKind::OperandType, fmt::format("{} takes two f32 or two f64, got {} and {}",
                                                     op.opcodeText, elementTypeName(a), elementTypeName(b)));
}

// The shape of two operands that go together: dynamic where either is, the known size where one is unbounded.
InferredShape joined(Shape a, Shape b, ElementType type) {
  if (a.withoutLayout() == b.withoutLayout() || (!a.isDynamic() && !b.isDynamic())) return withType(a, type);
  ArrayShape result(type);
  for (size_t i = 0; i < a.rank(); ++i) {
    if (a.dimension(i) == kUnboundedSize || b.dimension(i) == kUnboundedSize) {
      result.addFrom(a.dimension(i) == kUnboundedSize ? b : a, i);
    } else {
      result.add(a.dimension(i), a.isDynamicDimension(i) || b.isDynamicDimension(i));
    }
  }
  return result;
}

// The operands of an elementwise op of two have one type (floats may differ in width) and one shape.
Status expectAlike(const OpView& op, size_t i, size_t j) {
  const Shape a = op.operand(i), b = op.operand(j);
  if (a.withoutLayout() == b.withoutLayout()) return {};
  if (!sameElementButFloatWidth(a.elementType(), b.elementType())) {
    return refuse(VerifyKind::OperandType,
                  fmt::format("operands {} and {} of {} must have one element type, got {} and {}", i, j,
                              op.opcodeText, toString(a), toString(b)));
  }
  if (compatibleButElementType(a, b)) return {};
  return refuse(VerifyKind::ImplicitBroadcast,
                fmt::format("operands {} and {} of {} must have one shape, got {} and {}", i, j,
                            op.opcodeText, toString(a), toString(b)),
                "HLO has no implicit broadcasts: broadcast the smaller operand first");
}

}  // namespace

InferResult inferUnary(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  TRY_STATUS(expectClass(op, 0));
  const Shape operand = op.operand(0);
  return withType(operand, unaryResultType(op.opcode, operand.elementType()));
}

InferResult inferBinary(const OpView& op) {
  const Shape a = op.operand(0), b = op.operand(1);
  TRY_STATUS(expectArrays(op));
  TRY_STATUS(expectClass(op, 0));
  TRY_STATUS(expectClass(op, 1));
  TRY_STATUS(expectAlike(op, 0, 1));
  ElementType type = higherPrecision(a.elementType(), b.elementType());
  if (op.opcode == Opcode::Compare) type = ElementType::Pred;
  if (op.opcode == Opcode::Complex) {
    TRY(type, complexOf(op, a.elementType(), b.elementType()));
  }
  return joined(a, b, type);
}

InferResult inferClamp(const OpView& op) {
  TRY_STATUS(expectArrays(op));
  const Shape operand = op.operand(1);
  for (size_t bound : {size_t{0}, size_t{2}}) {
    const Shape shape = op.operand(bound);
    if (!sameElementButFloatWidth(shape.elementType(), operand.elementType())) {
      return refuse(VerifyKind::OperandType,
                    fmt::format("{} must have the element type of the clamped value, {}",
                                operandText(op, bound), toString(operand)));
    }
    if (!shape.isScalar() && !compatibleButFloatWidth(shape, operand)) {
      return refuse(VerifyKind::OperandShape,
                    fmt::format("{} must be a scalar or have the shape of the clamped value, {}",
                                operandText(op, bound), toString(operand)));
    }
  }
  return operand;
}

InferResult inferSelect(const OpView& op) {
  TRY_STATUS(expectArrays(op));
  const Shape condition = op.operand(0), onTrue = op.operand(1), onFalse = op.operand(2);
  if (condition.elementType() != ElementType::Pred) {
    return refuse(VerifyKind::OperandType, fmt::format("{} must be pred", operandText(op, 0)));
  }
  if (!compatibleButFloatWidth(onTrue, onFalse)) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("select chooses between {} and {}, expected one shape", toString(onTrue),
                              toString(onFalse)));
  }
  if (!condition.isScalar() && !compatibleButElementType(condition, onTrue)) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} must be a scalar or have the sizes of the values, {}", operandText(op, 0),
                              toString(onTrue)));
  }
  const ElementType type = higherPrecision(onTrue.elementType(), onFalse.elementType());
  if (!condition.isDynamic() || condition.isScalar()) return joined(onTrue, onFalse, type);
  ArrayShape result(type, internShape(joined(onTrue, onFalse, type)));
  for (size_t i = 0; i < result.dimensions.size(); ++i)
    result.dimensions[i].dynamic |= condition.isDynamicDimension(i);
  return result;
}

InferResult inferConvert(const OpView& op) {
  TRY(const Shape declared, declaredShape(op));
  TRY_STATUS(expectArray(op, 0));
  if (!declared.isArray()) {
    return refuse(VerifyKind::ResultShape,
                  fmt::format("{} gives an array, got {}", op.opcodeText, toString(declared)));
  }
  return withType(op.operand(0), declared.elementType());
}

InferResult inferBitcastConvert(const OpView& op) {
  TRY(const Shape declared, declaredShape(op));
  TRY_STATUS(expectArray(op, 0));
  const Shape operand = op.operand(0);
  const ElementType from = operand.elementType(), to = declared.elementType();
  if (!declared.isArray() || isComplex(from) != isComplex(to)) {
    return refuse(VerifyKind::ResultShape, fmt::format("bitcast-convert cannot turn {} into {}",
                                                       toString(operand), toString(declared)));
  }
  const int fromBits = elementBits(from), toBits = elementBits(to);
  if (std::max(fromBits, toBits) % std::min(fromBits, toBits) != 0) {
    return refuse(VerifyKind::ResultShape,
                  fmt::format("bitcast-convert from {} ({} bits) to {} ({} bits): neither divides the other",
                              elementTypeName(from), fromBits, elementTypeName(to), toBits));
  }
  if (fromBits == toBits) return withType(operand, to);
  ArrayShape result(to, operand);
  const int64_t ratio = std::max(fromBits, toBits) / std::min(fromBits, toBits);
  if (fromBits > toBits) {
    result.add(ratio, false);
    return result;
  }
  if (result.dimensions.empty() || !sameSize(result.dimensions.back().size, ratio)) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("the last dimension of {} must be {} to make one {} of each row",
                              operandText(op, 0), ratio, elementTypeName(to)));
  }
  result.dimensions.pop_back();
  return result;
}

InferResult inferStochasticConvert(const OpView& op) {
  TRY(const Shape declared, declaredShape(op));
  TRY_STATUS(expectArrays(op));
  const Shape operand = op.operand(0), random = op.operand(1);
  if (!isFloat(operand.elementType())) {
    return refuse(VerifyKind::OperandType, fmt::format("{} must be float", operandText(op, 0)));
  }
  if (!isUnsigned(random.elementType()) ||
      elementBits(random.elementType()) != elementBits(operand.elementType())) {
    return refuse(VerifyKind::OperandType,
                  fmt::format("{} must be an unsigned integer of {} bits", operandText(op, 1),
                              elementBits(operand.elementType())));
  }
  if (!compatibleButElementType(operand, random)) {
    return refuse(VerifyKind::OperandShape, fmt::format("{} must have the sizes of operand 0, {}",
                                                        operandText(op, 1), toString(operand)));
  }
  if (!declared.isArray()) {
    return refuse(VerifyKind::ResultShape,
                  fmt::format("{} gives an array, got {}", op.opcodeText, toString(declared)));
  }
  return withType(operand, declared.elementType());
}

InferResult inferReducePrecision(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  TRY_STATUS(expectClass(op, 0));
  const int64_t exponent = op.get<Attr::ExponentBits>().value_or(0);
  const int64_t mantissa = op.get<Attr::MantissaBits>().value_or(0);
  if (exponent < 1 || mantissa < 0) {
    return refuse(
        VerifyKind::AttributeInvalid,
        fmt::format("{} needs exponent_bits of at least 1 and mantissa_bits of at least 0, got {} and {}",
                    op.opcodeText, exponent, mantissa));
  }
  return op.operand(0);
}

}  // namespace hilo
