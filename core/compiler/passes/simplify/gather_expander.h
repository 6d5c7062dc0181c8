// Writes a gather with one index vector as a dynamic-slice, which clamps its start as a gather does. As
// xla/service/gather_expander.cc in its mode for simple gathers.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandSimpleGathers(Module& module, PassContext& context);

}  // namespace hilo
