// Which memory an array lies in, by its type.
#pragma once

#include <mlir/IR/BuiltinTypes.h>

namespace hilo::mosaic {

bool isShared(mlir::MemRefType type);  // of this block
bool isTensor(mlir::MemRefType type);
bool isGlobal(mlir::MemRefType type);
// "global", "shared", "tensor", "cluster", or "other".
llvm::StringRef memoryOf(mlir::MemRefType type);

// Each says what is wrong at `op` where the array is elsewhere; `name` is what it is called there.
mlir::LogicalResult requireShared(mlir::Operation* op, mlir::MemRefType type, llvm::StringRef name);
mlir::LogicalResult requireTensor(mlir::Operation* op, mlir::MemRefType type, llvm::StringRef name);

}  // namespace hilo::mosaic
