// Reads the pretty forms of the operations in the table.
#pragma once

#include <mlir/IR/OpImplementation.h>

#include "plugins/stablehlo/op_row.h"

namespace hilo::stablehlo {

mlir::ParseResult parseOp(const OpRow& row, mlir::OpAsmParser& parser, mlir::OperationState& state);

}  // namespace hilo::stablehlo
