// The verifier over an opened file.
#pragma once

#include "core/workspace/open/opened.h"

namespace hilo {

// What reading warned about and everything the verifier found, errors first met first; places have file, line
// and column where the module came from text, else computation and instruction. Empty: nothing to say.
Diagnostics verifyFile(const OpenedFile& file);
// A module at hand: places have computation and instruction.
Diagnostics verifyModule(const Module& module);

}  // namespace hilo
