// A module compiled for a GPU, on any machine: its kernels are PTX.
#pragma once

#include "core/compiler/codegen/lower/compile_module.h"
#include "core/workspace/run/gpu_rates.h"

namespace hilo {

// The pipeline "cuda", which fuses by the rates of the GPU (those of the architecture where none are given),
// and then a grid an instruction. Kernels are kept in kernelCacheFolder. Error kinds: those of compileForCpu.
Result<CompiledModule> compileForGpu(std::shared_ptr<const Module> module, const ProgramTarget& target,
                                     const CancelToken& cancel,
                                     const std::optional<GpuRates>& rates = std::nullopt);

// The architectures that kernels are offered for, oldest first: those that today's assemblers take, with what
// only they have where kernels use it.
std::vector<std::string> gpuNamesForKernels();

// The first kernel of each code.
std::vector<const Kernel*> distinctKernels(const Program& program);

// The PTX of a kernel of such a program.
std::string_view ptxOf(const Program& program, const Kernel& kernel);
// The PTX of every distinct kernel, each under a line that names it.
std::string ptxText(const Program& program);

}  // namespace hilo
