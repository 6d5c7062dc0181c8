// What each warpgroup of a kernel does with memory it shares with others: its operations on constants
// followed, its loops unrolled, as core/analysis/kernel_checks/kernel_program.h writes it. The block with
// number 0 is followed.
#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace hilo::mosaic {

struct Trace {
  std::string program;      // "" where it could not be followed
  std::string notFollowed;  // why: the operation and its line
};

// Kernels in warpgroup semantics: those whose operations a warpgroup does together. In lowered ones a thread
// goes its own way, and they are not followed.
Trace traceOf(mlir::ModuleOp module);

}  // namespace hilo::mosaic
