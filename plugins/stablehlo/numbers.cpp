#include "plugins/stablehlo/numbers.h"

namespace hilo::stablehlo {

Number polynomial(Number x, llvm::ArrayRef<double> coefficients) {
  Number sum = x.like(coefficients.front());
  for (const double coefficient : coefficients.drop_front()) sum = sum * x + coefficient;
  return sum;
}

Number chebyshev(Number x, llvm::ArrayRef<double> coefficients) {
  Number now = x.like(0), before = now, beforeThat = now;
  for (const double coefficient : coefficients) {
    beforeThat = before;
    before = now;
    now = x * before - beforeThat + coefficient;
  }
  return (now - beforeThat) * 0.5;
}

LogicalResult computeWith(OpConversion& c, size_t operandCount, Function function) {
  if (failed(c.needs(operandCount))) return llvm::failure();
  const pb::PrimitiveType type = c.resultShape().element_type();
  if (!isFloat(type)) return c.error("is known for floating-point numbers only");
  const bool f64 = type == pb::F64;
  llvm::SmallVector<Number> arguments;
  for (Hlo operand : c.operands())
    arguments.emplace_back(c.to, c.to.convert(operand, f64 ? pb::F64 : pb::F32));
  return c.done(c.to.convert(function(arguments, f64).hlo(), type));
}

}  // namespace hilo::stablehlo
