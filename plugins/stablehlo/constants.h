// Constants inside conversions.
#pragma once

#include <mlir/IR/BuiltinAttributes.h>

#include <optional>

#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// A constant of `shape`; a splat as one element spread by a broadcast. Null when HLO cannot
// hold the elements.
Hlo makeConstant(ComputationBuilder& to, mlir::ElementsAttr value, const pb::ShapeProto& shape);

// The integers of operand `n` where a constant makes it; nothing otherwise.
std::optional<Integers> constantOperand(const OpConversion& c, size_t n);

}  // namespace hilo::stablehlo
