// CHLO's operations that are a few of HLO's: implicit broadcasts, complex and sign tricks.
#include <mlir/IR/BuiltinAttributes.h>

#include <limits>

#include "plugins/stablehlo/constants.h"
#include "plugins/stablehlo/conversions.h"

namespace hilo::stablehlo {
namespace {

// Spreads an operand over `dims`: its dimensions are the last ones, or those `broadcast_dimensions` gives the
// smaller operand. Null when it does not fit.
Hlo spread(OpConversion& c, Hlo value, Dims dims) {
  const int rank = value->shape().dimensions_size();
  if (dimsOf(value->shape()) == dims) return value;
  const auto given = c.integers("broadcast_dimensions");
  const bool named = given && static_cast<int>(given->size()) == rank;
  Integers positions;
  for (int n = 0; n < rank; ++n) {
    const int64_t at =
        named ? (*given)[static_cast<size_t>(n)] : static_cast<int64_t>(dims.size()) - rank + n;
    if (at < 0 || at >= static_cast<int64_t>(dims.size())) return nullptr;
    positions.push_back(at);
  }
  return c.to.broadcast(value, positions, withDims(value->shape(), dims));
}

bool isStatic(const pb::ShapeProto& shape) {
  return llvm::none_of(shape.is_dynamic_dimension(), [](bool dynamic) { return dynamic; });
}

bool allStatic(OpConversion& c) {
  return isStatic(c.resultShape()) &&
         llvm::all_of(c.operands(), [](Hlo value) { return isStatic(value->shape()); });
}

// All operands in the result's dimensions; false, with an error, where one does not fit.
bool spreadAll(OpConversion& c, llvm::SmallVectorImpl<Hlo>& operands) {
  const pb::ShapeProto shape = c.resultShape();
  for (Hlo operand : c.operands()) {
    operands.push_back(spread(c, operand, dimsOf(shape)));
    if (operands.back() != nullptr) continue;
    (void)c.error("has operands that do not broadcast to its result");
    return false;
  }
  return true;
}

// The unsigned type as wide as a float.
pb::PrimitiveType bitsType(pb::PrimitiveType type) {
  return type == pb::F64 ? pb::U64 : type == pb::F32 ? pb::U32 : pb::U16;
}
int bitWidth(pb::PrimitiveType type) { return type == pb::F64 ? 64 : type == pb::F32 ? 32 : 16; }

}  // namespace

LogicalResult convertChloBroadcast(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  if (!allStatic(c)) return convertToCustomCall(c);
  llvm::SmallVector<Hlo> operands;
  return spreadAll(c, operands) ? c.done(c.make(c.row.opcode, operands)) : llvm::failure();
}

LogicalResult convertChloCompare(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  if (!allStatic(c)) return convertToCustomCall(c);
  llvm::SmallVector<Hlo> operands;
  if (!spreadAll(c, operands)) return llvm::failure();
  Hlo made = c.make("compare", operands);
  made->set_comparison_direction(c.text("comparison_direction"));
  if (const std::string type = c.text("compare_type"); !type.empty()) made->set_comparison_type(type);
  return c.done(made);
}

LogicalResult convertConstantLike(OpConversion& c) {
  if (failed(c.needs(0))) return llvm::failure();
  if (!allStatic(c)) return convertToCustomCall(c);
  mlir::Attribute value = c.attribute("value");
  if (const auto number = llvm::dyn_cast_or_null<mlir::FloatAttr>(value))
    return c.done(c.to.number(number.getValueAsDouble(), c.resultShape()));
  if (const auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(value))
    return c.done(c.to.integer(number.getValue().getSExtValue(), c.resultShape()));
  return c.error("has a value that is no number");
}

LogicalResult convertConj(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo z = c.operand(0);
  if (!isComplex(z->shape().element_type()))
    return c.done(c.make("complex", {z, c.to.number(0, z->shape())}));
  const pb::ShapeProto part = withType(z->shape(), realType(z->shape().element_type()));
  Hlo real = c.to.add("real", part, {z}), imag = c.to.add("imag", part, {z});
  return c.done(c.make("complex", {real, c.to.apply("negate", {imag})}));
}

// Of a complex number: (a - b)(a + b) and 2ab, which lose nothing where a and b are alike.
LogicalResult convertSquare(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo z = c.operand(0);
  if (!isComplex(z->shape().element_type())) return c.done(c.make("multiply", {z, z}));
  const pb::ShapeProto part = withType(z->shape(), realType(z->shape().element_type()));
  Hlo x = c.to.add("real", part, {z}), y = c.to.add("imag", part, {z});
  Hlo real = c.to.apply("multiply", {c.to.apply("subtract", {x, y}), c.to.apply("add", {x, y})});
  Hlo product = c.to.apply("multiply", {x, y});
  Hlo imag = c.to.apply("add", {product, product});
  // Where the sum of two large parts overflows, their difference is still 0.
  Hlo equal = c.to.apply("and", {c.to.compare("EQ", c.to.apply("abs", {x}), c.to.apply("abs", {y})),
                                 c.to.add("is-finite", withType(part, pb::PRED), {x})});
  return c.done(c.make("complex", {c.to.select(equal, c.to.number(0, part), real), imag}));
}

LogicalResult convertIsInf(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo x = c.operand(0);
  const char sign = *c.row.opcode;
  const double infinity = std::numeric_limits<double>::infinity();
  Hlo compared = sign == '\0' ? c.to.apply("abs", {x}) : x;
  return c.done(c.to.compare("EQ", compared, c.to.number(sign == '-' ? -infinity : infinity, x->shape())));
}

// The neighbour of x towards y: the bits of x, one more where it goes away from zero, one less where it
// goes towards it.
LogicalResult convertNextAfter(OpConversion& c) {
  if (failed(c.needs(2))) return llvm::failure();
  llvm::SmallVector<Hlo> operands;
  if (!spreadAll(c, operands)) return llvm::failure();
  Hlo x = operands[0], y = operands[1];
  const pb::PrimitiveType type = x->shape().element_type();
  const pb::ShapeProto bits = withType(x->shape(), bitsType(type));
  const auto constant = [&](uint64_t value) { return c.to.integer(static_cast<int64_t>(value), bits); };
  const uint64_t signBit = uint64_t{1} << (bitWidth(type) - 1);
  Hlo xBits = c.to.add("bitcast-convert", bits, {x}), yBits = c.to.add("bitcast-convert", bits, {y});
  Hlo xMagnitude = c.to.apply("and", {xBits, constant(signBit - 1)});
  Hlo yMagnitude = c.to.apply("and", {yBits, constant(signBit - 1)});
  Hlo xSign = c.to.apply("and", {xBits, constant(signBit)}),
      ySign = c.to.apply("and", {yBits, constant(signBit)});
  Hlo signsDiffer = c.to.compare("NE", xSign, ySign);
  Hlo inward = c.to.apply("or", {c.to.compare("GT", xMagnitude, yMagnitude), signsDiffer});
  Hlo step = c.to.select(inward, constant(~uint64_t{0}), constant(1));
  Hlo moved = c.to.apply("add", {xBits, step});
  // From zero: the smallest number with y's sign.
  Hlo fromZero = c.to.apply("or", {ySign, constant(1)});
  Hlo xIsZero = c.to.compare("EQ", xMagnitude, constant(0)),
      yIsZero = c.to.compare("EQ", yMagnitude, constant(0));
  Hlo result = c.to.select(xIsZero, c.to.select(yIsZero, yBits, fromZero), moved);
  result = c.to.select(c.to.compare("EQ", x, y), yBits, result);
  Hlo number = c.to.add("bitcast-convert", x->shape(), {result});
  Hlo isNan = c.to.apply("or", {c.to.compare("NE", x, x), c.to.compare("NE", y, y)});
  return c.done(
      c.to.select(isNan, c.to.number(std::numeric_limits<double>::quiet_NaN(), x->shape()), number));
}

LogicalResult convertAtan(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  Hlo x = c.operand(0);
  if (!isComplex(x->shape().element_type())) return c.done(c.make("atan2", {x, c.to.number(1, x->shape())}));
  // atan(z) = -i atanh(iz): with iz = (-y, x).
  const pb::ShapeProto part = withType(x->shape(), realType(x->shape().element_type()));
  const auto real = [&](Hlo z) { return c.to.add("real", part, {z}); };
  const auto imag = [&](Hlo z) { return c.to.add("imag", part, {z}); };
  const auto complex = [&](Hlo a, Hlo b) { return c.to.add("complex", x->shape(), {a, b}); };
  Hlo turned = c.to.apply("atanh", {complex(c.to.apply("negate", {imag(x)}), real(x))});
  return c.done(complex(imag(turned), c.to.apply("negate", {real(turned)})));
}

LogicalResult convertMulhi(OpConversion& c) { return c.done(c.make("mulhi", c.operands())); }

}  // namespace hilo::stablehlo
