// Puts arrays in row-major order where no order was asked for: before layouts are assigned only those of the
// entry's parameters and results mean something, whatever a front end wrote. XLA's passes do not look at
// layouts until then (LayoutAssignment::ClearPreviousPassSideEffects drops them); ours do. Left alone:
// modules with bitcasts, whose meaning they are, custom calls that state layouts, and what comes from or goes
// to the host.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> setDefaultLayouts(Module& module, PassContext& context);

}  // namespace hilo
