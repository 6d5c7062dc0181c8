#include "core/workspace/run/gpu_compile.h"

#include <fmt/format.h>

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/workspace/run/cpu_engine.h"

namespace hilo {

std::vector<std::string> gpuNamesForKernels() {
  constexpr int kOldest = 75;
  std::vector<std::string> names;
  for (const GpuTarget& target : gpuTargets()) {
    const bool isOffered = target.suffix == '\0' || target.hasWarpgroupProducts();
    if (target.number >= kOldest && isOffered) names.push_back(target.name());
  }
  return names;
}

std::vector<const Kernel*> distinctKernels(const Program& program) {
  std::vector<const Kernel*> kernels(program.objects.size());
  for (const Kernel& kernel : program.kernels) {
    if (kernels[kernel.object] == nullptr) kernels[kernel.object] = &kernel;
  }
  std::erase(kernels, nullptr);
  return kernels;
}

Result<CompiledModule> compileForGpu(std::shared_ptr<const Module> module, const ProgramTarget& target,
                                     const CancelToken& cancel, const std::optional<GpuRates>& rates) {
  TRY(const GpuTarget gpu, findGpuTarget(target.processor));
  return compileForCpu(std::move(module),
                       {.target = target,
                        .passSettings = passesWithRates(rates.value_or(ratesOf(gpu))),
                        .codegen = &gpuCodegen()},
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

}  // namespace hilo
