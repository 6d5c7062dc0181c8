// A module's kernels on the simulated GPU in check mode, thunk after thunk: what they give, what is wrong
// with them, and what was counted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"
#include "core/runtime/device/simulated/launch.h"

namespace hilo {

struct CheckedKernels {
  std::vector<std::string> ptx;             // of each kernel that ran, in order
  std::vector<SimulatedCounters> counters;  // of each
  bool has(size_t kernel, std::string_view text) const { return ptx[kernel].contains(text); }
};

// Compiled with the engine `cuda` and no passes, on arguments made from a seed. Fails the running test where
// the result is not the evaluator's, or the check finds something. Thunks are kernels and copies.
CheckedKernels expectChecked(const std::shared_ptr<const Module>& module, double relativeBound = 0,
                             const std::string& target = "sm_90");

// What the one kernel of the root counts, and what it would as a thread an element (`kernel_shapes.def`),
// which is to give the same.
struct CountedKernel {
  CheckedKernels done;
  SimulatedCounters now, byElements;
};
CountedKernel expectCounted(const std::shared_ptr<Module>& module, double relativeBound = 0);

}  // namespace hilo
