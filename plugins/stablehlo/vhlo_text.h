// VHLO as text: what stands behind `#vhlo.` and `!vhlo.`.
#pragma once

#include <mlir/IR/DialectImplementation.h>
#include <mlir/IR/OpImplementation.h>

namespace hilo::stablehlo {

// The builtin attribute or type that a VHLO one stands for, as the bytecode reader gives (vhlo.h); null after
// an error. The parser stands behind the dialect's name.
mlir::Attribute parseVhloAttribute(mlir::DialectAsmParser& parser);
mlir::Type parseVhloType(mlir::DialectAsmParser& parser);
// A function as MLIR writes functions; its attributes follow its body.
mlir::ParseResult parseVhloFunction(mlir::OpAsmParser& parser, mlir::OperationState& state);

}  // namespace hilo::stablehlo
