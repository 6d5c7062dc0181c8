// Writes scatters that a kernel cannot do with atomic operations as loops: of several arrays whose places may
// coincide, and of elements wider than 64 bits. Each iteration takes one window of the updates; one that does
// not lie inside is left out. As XLA's backends/gpu/transforms/scatter_expander.cc; combiners that are more
// than elementwise work are left.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandGpuScatters(Module& module, PassContext& context);
// Any scatter of elementwise work on arrays that are not empty, as such a loop in front of it.
bool canBeLoop(const Instruction& scatter);
Instruction* scatterLoop(Instruction& scatter);

}  // namespace hilo
