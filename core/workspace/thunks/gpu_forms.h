// What a kernel of a GPU takes of it and does to its memory, and its machine code, where there are tools.
#pragma once

#include <string>

#include "core/runtime/program/program.h"
#include "core/workspace/thunks/kernel_forms.h"

namespace hilo {

// Adds the gauges of a kernel (registers, spills, shared memory and occupancy as ptxas says, each beside what
// the target has; what check mode counted of its first blocks), and the form "SASS". Where a tool is not
// found the form says which, and what brings it. Error: PTX that is refused.
Status addGpuForms(const Program& program, const KernelThunk& thunk, KernelForms& forms);

}  // namespace hilo
