// Kernels of Mosaic GPU, from text or bytecode.
#pragma once

#include <functional>
#include <optional>

#include <llvm/ADT/StringRef.h>

#include "plugins/mosaic/problem.h"

namespace hilo::mosaic {

struct KernelReading {
  struct Kernel {
    std::string format;       // "Mosaic GPU bytecode, version 6"
    std::string text;         // MLIR, in the spelling of now
    std::string description;  // JSON, see describe.h
  };
  std::optional<Kernel> kernel;  // nothing where it could not be read
  std::vector<Problem>
      problems;  // their places are lines of the text where there is a kernel, else of the input
};

// MLIR of mosaic_gpu, in its serialized form or not. Reads no more than it needs, and trusts nothing.
bool looksLikeKernel(llvm::StringRef bytes);

// Reads, restores, verifies and describes, in a process of its own. Kinds: "mlir-syntax", "kernel-version",
// "kernel-upgrade", "unknown-operation", "kernel-invalid", "damaged", "too-large".
KernelReading readKernel(llvm::StringRef bytes, const std::string& path,
                         const std::function<bool()>& isCancelled);

}  // namespace hilo::mosaic
