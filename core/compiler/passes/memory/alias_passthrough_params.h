// Lets parameters of the entry that are elements of its result share their buffer with it, each once, and
// where neither shares with another yet; in modules whose header says alias_passthrough_params. As XLA's
// backends/gpu/transforms/alias_passthrough_params.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> aliasPassthroughParams(Module& module, PassContext& context);

}  // namespace hilo
