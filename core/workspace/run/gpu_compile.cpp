#include "core/workspace/run/gpu_compile.h"

#include <fmt/format.h>

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/runtime/libraries/gpu_libraries.h"
#include "core/workspace/run/compile_program.h"

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

Result<std::string> gpuTargetOf(const DeviceDescription& device) {
  std::string digits;
  for (const char c : device.computeCapability) {
    if (c != '.') digits += c;
  }
  for (const GpuTarget& target : gpuTargets()) {
    if (std::to_string(target.number) == digits && target.hasWarpgroupProducts()) return target.name();
  }
  TRY(const GpuTarget plain, findGpuTarget("sm_" + digits));
  return plain.name();
}

std::vector<const Kernel*> distinctKernels(const Program& program) {
  std::vector<const Kernel*> kernels(program.objects.size());
  for (const Kernel& kernel : program.kernels) {
    if (kernels[kernel.object] == nullptr) kernels[kernel.object] = &kernel;
  }
  std::erase(kernels, nullptr);
  return kernels;
}

namespace {

DeviceWork deviceWorkOf(LibraryChoice libraries, const CancelToken& cancel) {
  DeviceWork work;
  if (libraries == LibraryChoice::All) work.libraries.fill(true);
  if (libraries == LibraryChoice::Here)
    std::ranges::copy(libraryCallsHere(librarySearchHere()), work.libraries.begin());
  work.compileForHost = [&cancel](const Module& module) -> Result<Program> {
    TRY(CompiledModule compiled, compileProgram(module.clone(), {}, cancel));
    return std::move(compiled.program);
  };
  return work;
}

}  // namespace

Result<CompiledModule> compileForGpu(std::shared_ptr<const Module> module, const ProgramTarget& target,
                                     const CancelToken& cancel, const GpuCompileOptions& options) {
  TRY(const GpuTarget gpu, findGpuTarget(target.processor));
  return compileProgram(std::move(module),
                        {.target = target,
                         .runsPasses = options.runsPasses,
                         .passSettings = passesWithRates(options.rates.value_or(ratesOf(gpu))),
                         .codegen = &gpuCodegen(),
                         .deviceWork = deviceWorkOf(options.libraries, cancel)},
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
