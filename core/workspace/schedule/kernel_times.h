// The kernels of a module with the times they are estimated to take.
#pragma once

#include <vector>

#include "core/analysis/diff/kernel_diff.h"
#include "core/base/result.h"

namespace hilo {

// In module order, of computations that run by themselves; with the turns of the loops around them, where
// they are known. Kinds as costOfModule(). The instructions are the module's.
Result<std::vector<TimedKernel>> kernelTimes(const Module& module, const std::string& device);

}  // namespace hilo
