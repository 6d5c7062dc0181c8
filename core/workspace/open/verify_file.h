// The verifier over an opened file.
#pragma once

#include "core/workspace/open/opened.h"

namespace hilo {

// What reading warned about and everything the verifier found, errors first met first; places have file, line
// and column where the module came from text, else computation and instruction. Empty: nothing to say.
Diagnostics verifyFile(const OpenedFile& file);
// A module at hand: places have computation and instruction.
Diagnostics verifyModule(const Module& module);

// The door to whatever runs, estimates or maps a module: those ask here first, and what follows may reach for
// every operand, computation and dimension the opcode has. The first error of the verifier that is in the
// way, at its line and column; its notes are the others. Errors that nobody trips over (a sharding that does
// not fit) are let through.
Status requireVerified(const Module& module);
// The same error with the file in its place: of the module that `file` holds.
Diagnostic placedIn(const OpenedFile& file, Diagnostic diagnostic);

}  // namespace hilo
