// Quantized types: their storage is what HLO sees; quantizing and dequantizing are arithmetic on it, as the
// specification writes it.
#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/IR/BuiltinTypes.h>

#include "plugins/stablehlo/conversions.h"

namespace hilo::stablehlo {
namespace {

mlir::quant::QuantizedType quantizedTypeOf(mlir::Value value) {
  const auto shaped = llvm::dyn_cast<mlir::ShapedType>(value.getType());
  return shaped ? llvm::dyn_cast<mlir::quant::QuantizedType>(shaped.getElementType())
                : mlir::quant::QuantizedType();
}

pb::PrimitiveType expressedType(mlir::quant::QuantizedType type) {
  const mlir::Type expressed = type.getExpressedType();
  return expressed.isF64() ? pb::F64 : expressed.isBF16() ? pb::BF16 : expressed.isF16() ? pb::F16 : pb::F32;
}

// One number for the whole, or one for each index of the quantized dimension, spread over `shape`.
template <typename Number>
Hlo parameters(OpConversion& c, llvm::ArrayRef<Number> values, int64_t dimension,
               const pb::ShapeProto& shape) {
  pb::LiteralProto literal;
  *literal.mutable_shape() = arrayShape(shape.element_type(), {static_cast<int64_t>(values.size())});
  for (const Number value : values) appendElement(literal, value);
  return c.to.broadcast(c.to.literal(std::move(literal)), {dimension}, shape);
}

struct Parameters {
  Hlo scale = nullptr;
  Hlo zeroPoint = nullptr;
};

// Null where the type is neither per tensor nor per axis.
Parameters parametersOf(OpConversion& c, mlir::quant::QuantizedType type, const pb::ShapeProto& shape) {
  if (const auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(type)) {
    return {c.to.number(uniform.getScale(), shape),
            c.to.number(static_cast<double>(uniform.getZeroPoint()), shape)};
  }
  const auto perAxis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(type);
  const int64_t axis = perAxis ? perAxis.getQuantizedDimension() : -1;
  if (axis < 0 || axis >= shape.dimensions_size() ||
      static_cast<int64_t>(perAxis.getScales().size()) != shape.dimensions(static_cast<int>(axis)))
    return {};
  llvm::SmallVector<double> zeroPoints;
  for (const int64_t point : perAxis.getZeroPoints()) zeroPoints.push_back(static_cast<double>(point));
  return {parameters<double>(c, perAxis.getScales(), axis, shape),
          parameters<double>(c, zeroPoints, axis, shape)};
}

// (x - zero point) * scale, in the expressed type.
Hlo dequantize(OpConversion& c, Hlo stored, mlir::quant::QuantizedType type) {
  Hlo value = c.to.convert(stored, expressedType(type));
  const Parameters p = parametersOf(c, type, value->shape());
  if (p.scale == nullptr) return nullptr;
  return c.to.apply("multiply", {c.to.apply("subtract", {value, p.zeroPoint}), p.scale});
}

// round(x / scale) + zero point, held within the storage's range.
Hlo quantize(OpConversion& c, Hlo value, mlir::quant::QuantizedType type, const pb::ShapeProto& result) {
  const Parameters p = parametersOf(c, type, value->shape());
  if (p.scale == nullptr) return nullptr;
  Hlo steps = c.to.apply("round-nearest-even", {c.to.apply("divide", {value, p.scale})});
  Hlo moved = c.to.apply("add", {steps, p.zeroPoint});
  Hlo low = c.to.number(static_cast<double>(type.getStorageTypeMin()), value->shape());
  Hlo high = c.to.number(static_cast<double>(type.getStorageTypeMax()), value->shape());
  return c.to.add("convert", result, {c.to.apply("clamp", {low, moved, high})});
}

}  // namespace

LogicalResult convertUniformQuantize(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const auto to = quantizedTypeOf(c.op->getResult(0)), from = quantizedTypeOf(c.op->getOperand(0));
  if (!to) return c.error("has a result that is not quantized");
  Hlo value = from ? dequantize(c, c.operand(0), from) : c.operand(0);
  Hlo made = value != nullptr ? quantize(c, value, to, c.resultShape()) : nullptr;
  return made != nullptr ? c.done(made) : c.error("has quantization parameters that do not fit its shape");
}

LogicalResult convertUniformDequantize(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const auto from = quantizedTypeOf(c.op->getOperand(0));
  if (!from) return c.error("has an operand that is not quantized");
  Hlo value = dequantize(c, c.operand(0), from);
  if (value == nullptr) return c.error("has quantization parameters that do not fit its shape");
  return c.done(c.to.convert(value, c.resultShape().element_type()));
}

bool computesOnQuantized(const OpConversion& c) {
  static constexpr OpRow::Convert kArithmetic[] = {convertPlain,
                                                   convertTranscendental,
                                                   convertExtremum,
                                                   convertCompare,
                                                   convertClamp,
                                                   convertDot,
                                                   convertDotGeneral,
                                                   convertConvolution,
                                                   convertChloBroadcast,
                                                   convertBatchNorm,
                                                   convertReducePrecision,
                                                   convertCholesky,
                                                   convertTriangularSolve,
                                                   convertIota,
                                                   convertCbrt,
                                                   convertCosh,
                                                   convertSinh};
  const auto isQuantized = [](mlir::Value value) { return static_cast<bool>(quantizedTypeOf(value)); };
  return llvm::is_contained(kArithmetic, c.row.convert) &&
         (llvm::any_of(c.op->getOperands(), isQuantized) || llvm::any_of(c.op->getResults(), isQuantized));
}

LogicalResult convertThroughFloats(OpConversion& c) {
  const auto misfit = [&] { return c.error("has quantization parameters that do not fit its shape"); };
  OpConversion inner = c.as(c.row);
  for (size_t n = 0; n < c.operandCount(); ++n) {
    const auto type = quantizedTypeOf(c.op->getOperand(static_cast<unsigned>(n)));
    if (!type) continue;
    Hlo value = dequantize(c, c.operand(n), type);
    if (value == nullptr) return misfit();
    inner.setOperand(n, value);
  }
  for (size_t n = 0; n < c.resultCount(); ++n) {
    if (const auto type = quantizedTypeOf(c.op->getResult(static_cast<unsigned>(n))))
      inner.setResultShape(n, withType(c.resultShape(n), expressedType(type)));
  }
  if (failed(c.row.convert(inner))) return llvm::failure();
  c.made = inner.made;
  for (size_t n = 0; n < c.resultCount(); ++n) {
    const auto type = quantizedTypeOf(c.op->getResult(static_cast<unsigned>(n)));
    if (!type) continue;
    Hlo value = quantize(c, c.result(n), type, c.resultShape(n));
    if (value == nullptr) return misfit();
    c.replaceResult(n, value);
  }
  return llvm::success();
}

}  // namespace hilo::stablehlo
