#include "core/workspace/run/gpu_compile.h"

#include <fmt/format.h>

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/gpu/nvptx_target.h"
#include "core/compiler/toolchain/assemble_ptx.h"
#include "core/workspace/run/cpu_engine.h"

namespace hilo {
namespace {

// The first kernel of each object.
std::vector<const Kernel*> distinctKernels(const Program& program) {
  std::vector<const Kernel*> kernels(program.objects.size());
  for (const Kernel& kernel : program.kernels) {
    if (kernels[kernel.object] == nullptr) kernels[kernel.object] = &kernel;
  }
  std::erase(kernels, nullptr);
  return kernels;
}

}  // namespace

Result<CompiledModule> compileForGpu(std::shared_ptr<const Module> module, const ProgramTarget& target,
                                     const CancelToken& cancel) {
  return compileForCpu(std::move(module), {.target = target, .usesCache = false, .codegen = &gpuCodegen()},
                       cancel);
}

std::string_view ptxOf(const Program& program, const Kernel& kernel) {
  const auto& code = program.objects[kernel.object].code;
  return {reinterpret_cast<const char*>(code.data()), code.size()};
}

std::string ptxText(const Program& program) {
  std::string text;
  for (const Kernel* kernel : distinctKernels(program))
    text += fmt::format("// ==== {}\n{}", kernel->name, ptxOf(program, *kernel));
  return text;
}

Result<std::string> assembledText(const Program& program) {
  TRY(const GpuTarget target, findGpuTarget(program.target.processor));
  const Tool ptxas = findTool(ToolId::Ptxas, toolSearchHere());
  std::string text;
  for (const Kernel* kernel : distinctKernels(program)) {
    auto assembled = assemblePtx(ptxas, ptxOf(program, *kernel), target.name());
    if (!assembled) {
      assembled.error().place.instruction = kernel->name;
      return std::unexpected(std::move(assembled.error()));
    }
    for (const KernelResources& taken : assembled->kernels) {
      Diagnostics why = whyNotLaunched(taken, {.sharedBytesPerBlock = target.sharedBytes}, kBlockThreads);
      if (!why.empty()) return std::unexpected(std::move(why[0]));
      text += fmt::format(
          "{}: {} bytes of machine code by {}, {} registers, {} bytes of stack, {} spilled and {} read back, "
          "{} bytes "
          "of shared memory\n",
          kernel->name, assembled->cubin.size(), assembled->by, taken.registers, taken.stackBytes,
          taken.spillStoreBytes, taken.spillLoadBytes, taken.sharedBytes);
    }
  }
  return text;
}

}  // namespace hilo
