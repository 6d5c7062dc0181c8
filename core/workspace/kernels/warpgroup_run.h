// A lowered kernel on the simulated GPU.
#pragma once

#include "core/base/cancel.h"
#include "core/compiler/codegen/warpgroup/warpgroup_kernel.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

// Values made up for each array, as for parameters of a module: the same ones by the same seed. They lie as
// the array does when it has no strides of its own. Error kind "kernel-run".
Result<std::vector<Literal>> madeUpArrays(const warpgroup::WarpgroupKernel& kernel, uint64_t seed);

struct WarpgroupRun {
  std::vector<Literal> arrays;  // as the kernel left them
  Diagnostics findings;         // of check mode
};
// The kernel's code for a GPU ("sm_90a"), and a run of it on arrays made up from a seed. The layouts are
// found. Error kinds: "kernel-lowering" and those of what they call.
Result<std::string> kernelLlvm(const inference::KernelDescription& kernel,
                               const inference::KernelLayouts& layouts);
Result<std::string> kernelPtx(const inference::KernelDescription& kernel,
                              const inference::KernelLayouts& layouts, const std::string& gpu);
struct MadeUpRun {
  std::vector<std::string> names;  // of the arrays
  std::vector<Literal> before;
  WarpgroupRun run;
};
Result<MadeUpRun> runMadeUp(const inference::KernelDescription& kernel,
                            const inference::KernelLayouts& layouts, uint64_t seed, bool isChecked,
                            const CancelToken& cancel = {});

// `arrays`: one for each of the kernel's, of its shape. With `isChecked` each access is looked at.
// Error kinds besides those of ptxOf, loadPtx and SimulatedModule::launch: "kernel-run" for arrays of other
// shapes and for tensor memory.
Result<WarpgroupRun> runOnSimulatedGpu(const warpgroup::WarpgroupKernel& kernel, std::vector<Literal> arrays,
                                       bool isChecked, const CancelToken& cancel = {});

}  // namespace hilo
