// Runs an import in a child process, so that a reader that gives up by ending its process ends the child.
//
// MLIR's bytecode reader does that on damaged files (it makes room for as many items as a file claims). Text
// needs none of this.
#pragma once

#include <functional>

#include "plugins/stablehlo/import.h"

namespace hilo::stablehlo {

// What `work` gives; its processor time is bounded by the size of what it reads. A problem of kind
// "mlir-bytecode" where the child ended without an answer; nothing at all where `isCancelled` said so.
ImportResult runContained(const std::function<ImportResult()>& work, size_t inputBytes,
                          const std::function<bool()>& isCancelled);

}  // namespace hilo::stablehlo
