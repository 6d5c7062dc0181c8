// Where the code of a kernel is in a module, and of which kind it is.
#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace hilo::mosaic {

// The launch, or the first function that has operations of the dialect; null where there is neither.
mlir::Operation* kernelOf(mlir::ModuleOp module);

// Operations of single threads are left of it, none that a warpgroup does together.
bool isLowered(mlir::Operation* kernel);

// The line of what is printed that the operation is at; 0 where it is not known.
uint32_t lineOf(mlir::Operation* op);

}  // namespace hilo::mosaic
