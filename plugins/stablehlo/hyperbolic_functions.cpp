// CHLO's cosh and sinh by exponentials, as StableHLO's own decomposition and XLA's client library have them:
// what a program gives is then what it gives there, rounding included. Complex ones, and MHLO's, are HLO's.
#include <cmath>

#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/numbers.h"

namespace hilo::stablehlo {
namespace {

// exp(x) / 2, which is finite for all x where cosh x is.
Number halfExp(Number x) { return exp(x + log(x.like(0.5))); }

Number cosh(llvm::ArrayRef<Number> arguments, bool) {
  const Number x = arguments[0];
  return halfExp(x) + halfExp(-x);
}

// Near 0 the exponentials cancel; there it is (e + e / (e + 1)) / 2 for e = exp(x) - 1.
Number sinh(llvm::ArrayRef<Number> arguments, bool) {
  const Number x = arguments[0], e = x.apply("exponential-minus-one");
  return abs(x).is("LT", 1).select(0.5 * (e + e / (e + 1)), halfExp(x) - halfExp(-x));
}

bool isOpcode(OpConversion& c) {
  return c.op->getName().getDialectNamespace() == "mhlo" || isComplex(c.operand(0)->shape().element_type());
}

}  // namespace

LogicalResult convertCosh(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  return isOpcode(c) ? convertPlain(c) : computeWith(c, 1, cosh);
}

LogicalResult convertSinh(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  return isOpcode(c) ? convertPlain(c) : computeWith(c, 1, sinh);
}

}  // namespace hilo::stablehlo
