// Gives a dot without contracting dimensions one of size 1, so that what comes later finds one on each side.
// As xla/backends/gpu/transforms/dot_normalizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> normalizeDots(Module& module, PassContext& context);

}  // namespace hilo
