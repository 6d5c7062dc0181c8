// A kernel as core/analysis/kernel_layouts/inference/kernel_text.h reads it: every operation of the module
// with MLIR's names, each with the line of the printed module that it is at.
#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace hilo::mosaic {

struct KernelText {
  std::string text;     // "" where the kernel has no such form
  std::string refused;  // why: the operation and its line
};

// Attributes that the text has no form for, such as formats of messages and types of functions, are named
// in a comment at the end of the line: layouts do not depend on them.
KernelText kernelTextOf(mlir::ModuleOp module);

}  // namespace hilo::mosaic
