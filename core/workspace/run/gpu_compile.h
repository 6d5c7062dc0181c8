// A module compiled for a GPU, on any machine: its kernels are PTX.
#pragma once

#include "core/analysis/cost/device.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/workspace/run/gpu_rates.h"

namespace hilo {

// Which libraries of NVIDIA's a program may ask: none, those on this machine, or all there are.
enum class LibraryChoice : uint8_t { None, Here, All };

struct GpuCompileOptions {
  std::optional<GpuRates> rates = std::nullopt;  // of the architecture where none are given
  LibraryChoice libraries = LibraryChoice::None;
  bool runsPasses = true;  // the pipeline "cuda" first
};

// The pipeline "cuda", which fuses by the GPU's rates, and then a grid an instruction, or a call to a
// library. Kernels are kept in kernelCacheFolder. Error kinds: those of compileProgram.
Result<CompiledModule> compileForGpu(std::shared_ptr<const Module> module, const ProgramTarget& target,
                                     const CancelToken& cancel, const GpuCompileOptions& options = {});

// The architectures that kernels are offered for, oldest first: those that today's assemblers take, with what
// only they have where kernels use it.
std::vector<std::string> gpuNamesForKernels();

// "sm_90a" of a device of compute capability 9.0. Error kind "unknown-gpu".
Result<std::string> gpuTargetOf(const DeviceDescription& device);

// The first kernel of each code.
std::vector<const Kernel*> distinctKernels(const Program& program);

// The PTX of a kernel of such a program.
std::string_view ptxOf(const Program& program, const Kernel& kernel);
// The PTX of every distinct kernel, each under a line that names it.
std::string ptxText(const Program& program);

}  // namespace hilo
