// rng and rng-bit-generator.
#include <fmt/format.h>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

InferResult inferRng(const OpView& op) {
  TRY_STATUS(expectOperands(op, 2));
  TRY(const Shape declared, declaredShape(op));
  const Shape a = op.operand(0), b = op.operand(1);
  if (!a.isScalar() || !b.isScalar() || a.elementType() != b.elementType()) {
    return refuse(VerifyKind::OperandType,
                  fmt::format("rng takes two scalars of one type, got {} and {}", toString(a), toString(b)));
  }
  if (!declared.isArray() || !sameElementButFloatWidth(a.elementType(), declared.elementType())) {
    return refuse(VerifyKind::ResultShape, fmt::format("rng of {} values gives an array of them, got {}",
                                                       elementTypeName(a.elementType()), toString(declared)));
  }
  const auto distribution = op.get<Attr::Distribution>().value_or(RandomDistribution::Invalid);
  const bool takesType =
      distribution == RandomDistribution::Normal ? isFloat(a.elementType()) : !isComplex(a.elementType());
  if (distribution == RandomDistribution::Invalid || !takesType) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("distribution {} of rng does not give {} values", enumText(distribution),
                              elementTypeName(a.elementType())));
  }
  return declared;
}

InferResult inferRngBitGenerator(const OpView& op) {
  TRY(const Shape declared, declaredShape(op));
  if (!declared.isTuple()) return declared;  // the bits alone
  const auto elements = declared.tupleShapes();
  if (elements.size() == 2 && compatible(elements[0], op.operand(0))) return declared;
  return refuse(VerifyKind::ResultShape,
                fmt::format("rng-bit-generator gives (state, bits) with the state {}, got {}",
                            toString(op.operand(0)), toString(declared)));
}

}  // namespace hilo
