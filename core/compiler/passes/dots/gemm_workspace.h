// Calls to cuBLAS that a frontend wrote have no workspace: they get one.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// True when it changed anything. Calls that give an array give it and a workspace of so many bytes.
bool addGemmWorkspaces(Computation& computation, int64_t bytes, PassContext& context);

}  // namespace hilo
