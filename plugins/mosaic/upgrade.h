// What older versions of the dialect wrote, as it is written now.
#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace hilo::mosaic {

// Of a module that was read without being verified. Says at the operation what has no form of now.
mlir::LogicalResult upgrade(mlir::ModuleOp module);

}  // namespace hilo::mosaic
