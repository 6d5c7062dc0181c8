// Writes scatters that a kernel cannot do with atomic operations as loops: of several arrays whose places may
// coincide, and of elements wider than 64 bits. Each iteration takes one element of the updates; an update
// whose window does not lie inside is left out. XLA's backends/gpu/transforms/scatter_expander.cc, whose
// iterations take one window each.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandGpuScatters(Module& module, PassContext& context);

}  // namespace hilo
