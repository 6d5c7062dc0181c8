// The dialect mosaic_gpu for MLIR: classes that mlir-tblgen makes of dialect.td and ops.td.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/Dialect/LLVMIR/LLVMTypes.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "mosaic_dialect.h.inc"
#include "mosaic_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "mosaic_attributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "mosaic_types.h.inc"
#define GET_OP_CLASSES
#include "mosaic_ops.h.inc"

namespace hilo::mosaic {

// The dialect, and those of MLIR that kernels use beside it.
void registerDialects(mlir::DialectRegistry& registry);

}  // namespace hilo::mosaic
