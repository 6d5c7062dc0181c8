// The form in which JAX puts kernels into modules, so that other versions can read them: each operation's
// name begins with `stable_mosaic_gpu.`, so that no dialect checks it, and the module says which version of
// the dialects it is of.
#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <optional>

namespace hilo::mosaic {

// Versions 1 to 7 are known: the last of August 2026.
inline constexpr int64_t kNewestVersion = 7;

std::optional<int64_t> serializedVersion(mlir::ModuleOp module);

// Gives the operations their names and the form they have in MLIR 22. Says at the operation
// what cannot be restored.
mlir::LogicalResult restore(mlir::ModuleOp module);

}  // namespace hilo::mosaic
