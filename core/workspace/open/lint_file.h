// The lints of a module (core/analysis/lint/lints.def) as warnings with places.
#pragma once

#include "core/workspace/open/opened.h"

namespace hilo {

// Takes files whose modules verify. Places have file, line and column where the module came from text, else
// computation and instruction.
Diagnostics lintFile(const OpenedFile& file);
// A module at hand: places have computation and instruction.
Diagnostics lintModule(const Module& module);

}  // namespace hilo
