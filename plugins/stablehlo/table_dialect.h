// The dialects, as MLIR sees them: every operation is a row of the table in op_row.h, attributes and types
// become builtin ones as they are read. Not generated from ODS: one row an operation says all that is needed
// (how it is written, what it becomes), and four dialects share the rows.
//
// An operation's own attributes (MLIR's properties) are kept as one dictionary beside the discardable ones;
// Operation::getAttr() finds both.
#pragma once

#include <mlir/IR/DialectRegistry.h>

namespace hilo::stablehlo {

// stablehlo, mhlo, chlo, vhlo, check, interpreter and sdy.
void registerDialects(mlir::DialectRegistry& registry);

}  // namespace hilo::stablehlo
