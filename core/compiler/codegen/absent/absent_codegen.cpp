// All that others call of the rooms of codegen, in a build without LLVM: nothing can be compiled, and whoever
// asks is told so, what runs modules all the same and which build compiles. Error kind "no-compiler", in the
// place of every other.
//
// An engine without a compiler keeps its name and its pipeline of passes. Each module has one obstacle, so
// that it is refused before anything runs, where modules that cannot be compiled always are.
#include <fmt/format.h>

#include "core/compiler/codegen/cpu/codegen_backend.h"
#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/compiler/codegen/cpu/disassembly.h"
#include "core/compiler/codegen/emit/codegen_targets.h"
#include "core/compiler/codegen/emit/compiler_name.h"
#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/compiler/codegen/plain/plain_codegen.h"
#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/compiler/codegen/warpgroup/warpgroup_kernel.h"

namespace hilo {
namespace {

// `what` wants compiled code: "the engine cpu".
std::unexpected<Diagnostic> refused(std::string_view what) {
  return fail(
      "no-compiler", fmt::format("{} needs LLVM, which this build of Hilo is without", what), {},
      {"the engine reference evaluates modules, and engines of other machines (NAME@HOST) and of PJRT "
       "libraries (pjrt:LIBRARY) run them",
       "Hilo's packages have it, and so does a build with HILO_LLVM=ON where LLVM and MLIR 22.1 are "
       "installed: cmake --preset release"});
}

Status lowersNothing(const Instruction&, LoweringContext&) { return refused("code generation"); }
const CodegenTarget* hasNoTarget(std::string_view) { return nullptr; }

constexpr CodegenEngine engineCalled(std::string_view name) {
  return {.name = name,
          .lowerings = {},
          .lowerElements = lowersNothing,
          .findObstacle = noObstacle,
          .findTarget = hasNoTarget};
}

std::string textOf(const CodegenEngine& engine) { return fmt::format("the engine {}", engine.name); }

}  // namespace

std::string_view compilerName() { return "no LLVM"; }
std::string codegenVersion() { return "none"; }

const CodegenEngine& cpuCodegen() {
  static constexpr CodegenEngine kEngine = engineCalled("cpu");
  return kEngine;
}

const CodegenEngine& plainCodegen() {
  static constexpr CodegenEngine kEngine = engineCalled("plain");
  return kEngine;
}

const CodegenEngine& gpuCodegen() {
  static constexpr CodegenEngine kEngine = engineCalled("cuda");
  return kEngine;
}

Diagnostics codegenObstacles(const Module&, const CodegenEngine& engine, const HasHandler&) {
  return {refused(textOf(engine)).error()};
}

Result<CompiledModule> compileModule(const Module&, const CodegenEngine& engine, const KernelCompileOptions&,
                                     const DeviceWork&) {
  return refused(textOf(engine));
}

Result<std::vector<std::string>> emitKernels(const Module&, const CodegenEngine&, const ProgramTarget&) {
  return refused("LLVM IR of kernels");
}

Result<KernelListing> listKernel(const std::string&, const CodegenEngine&, const ProgramTarget&,
                                 const std::optional<LlvmKernelOptions>&) {
  return refused("LLVM IR of kernels");
}

// Kinds of processor by what files and programs call them; processorTarget refuses whichever is asked for.
std::span<const CodegenTarget* const> codegenTargets() {
  static constexpr CodegenTarget kX86{.triple = "x86_64-pc-linux-gnu", .plainProcessor = ""};
  static constexpr CodegenTarget kAarch64{.triple = "aarch64-unknown-linux-gnu", .plainProcessor = ""};
  static constexpr const CodegenTarget* kTargets[] = {&kX86, &kAarch64};
  return kTargets;
}

const CodegenTarget* findCodegenTarget(std::string_view triple) {
  for (const CodegenTarget* target : codegenTargets()) {
    if (triple == target->triple) return target;
  }
  return nullptr;
}

Result<ProgramTarget> processorTarget(std::string_view) { return refused("code for a processor"); }

std::span<const CodegenBackend> codegenBackends() { return {}; }

Result<std::string> disassemble(std::span<const std::byte>, const ProgramTarget&) {
  return refused("machine code as text");
}

Result<SimulatedModule> loadPtx(std::string_view, const SimulateOptions&) {
  return refused("the simulated GPU");
}

namespace warpgroup {

Result<WarpgroupKernel> lowerKernel(const inference::KernelDescription&, const inference::KernelLayouts&) {
  return refused("code of a kernel");
}

Result<std::string> ptxOf(const WarpgroupKernel&, const std::string&) { return refused("PTX of a kernel"); }

Result<std::string> llvmOf(const WarpgroupKernel&, const std::string&) {
  return refused("LLVM IR of a kernel");
}

}  // namespace warpgroup

}  // namespace hilo
