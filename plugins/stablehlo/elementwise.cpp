#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

#include "plugins/stablehlo/conversions.h"

namespace hilo::stablehlo {

LogicalResult convertPlain(OpConversion& c) { return c.done(c.make()); }

LogicalResult convertTranscendental(OpConversion& c) {
  Hlo made = c.make();
  const std::string mode = [&] {
    const auto word = llvm::dyn_cast_or_null<mlir::StringAttr>(c.field("result_accuracy", "mode"));
    return word ? word.str() : std::string();
  }();
  const auto number = [&](llvm::StringRef name) {
    const auto value = llvm::dyn_cast_or_null<mlir::FloatAttr>(c.field("result_accuracy", name));
    return value ? value.getValueAsDouble() : 0;
  };
  if (mode == "HIGHEST") made->mutable_result_accuracy()->set_mode(pb::ResultAccuracy::HIGHEST);
  if (mode == "TOLERANCE") {
    auto* tolerance = made->mutable_result_accuracy()->mutable_tolerance();
    tolerance->set_atol(number("atol"));
    tolerance->set_rtol(number("rtol"));
    const auto ulps = c.fieldIntegers("result_accuracy", "ulps");
    tolerance->set_ulps(ulps.empty() ? 0 : ulps[0]);
  }
  return c.done(made);
}

// HLO keeps complex and real apart: a complex operand gives its real part first.
LogicalResult convertConvert(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo value = c.operand(0);
  const pb::PrimitiveType from = value->shape().element_type(), to = c.resultShape().element_type();
  if (isComplex(from) && !isComplex(to))
    value = c.to.add("real", withType(value->shape(), realType(from)), {value});
  return c.done(c.make("convert", {value}));
}

// Complex numbers have no order in HLO; the specification's is by the real part, then the imaginary one.
LogicalResult convertCbrt(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo z = c.operand(0);
  if (!isComplex(z->shape().element_type())) return convertTranscendental(c);
  return c.done(c.make("power", {z, c.to.number(1.0 / 3, z->shape())}));
}

LogicalResult convertExtremum(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  const pb::PrimitiveType type = c.operand(0)->shape().element_type();
  if (!isComplex(type)) return convertPlain(c);
  const char* direction = llvm::StringRef(c.row.opcode) == "maximum" ? "GT" : "LT";
  const pb::ShapeProto part = withType(c.operand(0)->shape(), realType(type));
  const auto parts = [&](const char* opcode, size_t n) { return c.to.add(opcode, part, {c.operand(n)}); };
  Hlo realA = parts("real", 0), realB = parts("real", 1);
  Hlo tie = c.to.apply(
      "and", {c.to.compare("EQ", realA, realB), c.to.compare(direction, parts("imag", 0), parts("imag", 1))});
  Hlo first = c.to.apply("or", {c.to.compare(direction, realA, realB), tie});
  return c.done(c.to.select(first, c.operand(0), c.operand(1)));
}

// A truth value is one bit in StableHLO and a byte in HLO: where bits are regrouped, it goes by way of u1.
LogicalResult convertBitcastConvert(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const pb::ShapeProto from = c.operand(0)->shape(), to = c.resultShape();
  if (from.dimensions_size() == to.dimensions_size()) return convertPlain(c);
  if (from.element_type() == pb::PRED)
    return c.done(c.make("bitcast-convert", {c.to.convert(c.operand(0), pb::U1)}));
  if (to.element_type() != pb::PRED) return convertPlain(c);
  return c.done(c.to.convert(c.to.add("bitcast-convert", withType(to, pb::U1), c.operands()), pb::PRED));
}

LogicalResult convertCompare(OpConversion& c) {
  Hlo made = c.make();
  made->set_comparison_direction(c.text("comparison_direction"));
  const std::string type = c.text("compare_type", c.text("comparison_type"));
  if (!type.empty() && type != "NOTYPE") made->set_comparison_type(type);
  return c.done(made);
}

namespace {

// A scalar where HLO wants an array of `shape`'s dimensions.
Hlo spread(OpConversion& c, Hlo value, const pb::ShapeProto& shape) {
  if (value->shape().dimensions_size() != 0 || shape.dimensions_size() == 0) return value;
  return c.to.broadcast(value, {}, withType(shape, value->shape().element_type()));
}

}  // namespace

LogicalResult convertSelect(OpConversion& c) {
  if (failed(c.needs(3))) return llvm::failure();
  Hlo predicate = spread(c, c.operand(0), c.operand(1)->shape());
  return c.done(c.make("select", {predicate, c.operand(1), c.operand(2)}));
}

LogicalResult convertClamp(OpConversion& c) {
  if (failed(c.needs(3))) return llvm::failure();
  Hlo low = spread(c, c.operand(0), c.operand(1)->shape());
  Hlo high = spread(c, c.operand(2), c.operand(1)->shape());
  return c.done(c.make("clamp", {low, c.operand(1), high}));
}

LogicalResult convertReducePrecision(OpConversion& c) {
  Hlo made = c.make();
  // `format = e5m2` in the pretty form.
  const std::string format = c.text("format");
  const auto [exponent, mantissa] = llvm::StringRef(format).drop_front(format.empty() ? 0 : 1).split('m');
  int32_t exponentBits = static_cast<int32_t>(c.integer("exponent_bits"));
  int32_t mantissaBits = static_cast<int32_t>(c.integer("mantissa_bits"));
  if (!format.empty() && (exponent.getAsInteger(10, exponentBits) || mantissa.getAsInteger(10, mantissaBits)))
    return c.error("has a format that is not eNmN");
  made->set_exponent_bits(exponentBits);
  made->set_mantissa_bits(mantissaBits);
  return c.done(made);
}

}  // namespace hilo::stablehlo
