// Removes instructions without users and without side effects, results of fusions that nobody takes, and
// computations that nothing calls. Parameters stay. Matches the core of XLA's HloDCE (hlo_dce.cc).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> eliminateDeadCode(Module& module, PassContext& context);

}  // namespace hilo
