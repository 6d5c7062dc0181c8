// What a kernel of a GPU takes of it, and its machine code, where the tools for it are found.
#pragma once

#include <string>
#include <vector>

#include "core/workspace/thunks/kernel_forms.h"

namespace hilo {

// "What it takes": registers, spills, shared memory and occupancy, each beside what the target has; and
// "SASS". Where a tool is not found the form says which, and what brings it. `ptx`: of one kernel, whose
// blocks have `threads` threads. Error: PTX that is refused.
Result<std::vector<KernelForm>> gpuForms(std::string_view ptx, const std::string& target, int threads);

}  // namespace hilo
