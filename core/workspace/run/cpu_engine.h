// The engines whose programs this machine's processor runs: passes, code by LLVM, thunks on its threads.
// Where the compiler meets the runtime. They differ in how kernels are made: cpu makes them fast, plain makes
// them one instruction at a time.
#pragma once

#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/runtime/engine/engine.h"

namespace hilo {

struct CpuCompileOptions {
  std::string cpu;                                     // as LLVM names it; "": this machine
  std::optional<ProgramTarget> target = std::nullopt;  // in the place of `cpu`
  bool usesCache = true;                               // the folder of compiled kernels (kernelCacheFolder)
  bool runsPasses = true;                              // the engine's pipeline first
  // Passes of the pipeline with settings of theirs, as parsePassList reads them.
  std::string passSettings;
  bool quick = false;                            // compiled quickly instead of well
  FastMath fastMath;                             // how exact floats are
  TellSlow tellSlow;                             // of passes and kernels that take long
  const CodegenEngine* codegen = &cpuCodegen();  // how kernels are made; its pipeline has its name
  DeviceWork deviceWork = {};                    // what libraries of a device and the host do
};

// Where compiled kernels are kept: $HILO_KERNEL_CACHE, else $XDG_CACHE_HOME/hilo/kernels, else
// ~/.cache/hilo/kernels; "" when none of these is set.
std::string kernelCacheFolder();

// Everything that keeps the module from being compiled, by name. Empty: compileForCpu will not refuse it.
Diagnostics whyNotCompiled(const Module& module, const CodegenEngine& codegen = cpuCodegen());

// The same, and what keeps its exchanges from running on these devices.
Diagnostics whyNotRunOn(const Module& module, DeviceGrid grid, const CodegenEngine& codegen);

// Error kinds: "not-compiled" (the first obstacle, the others in the notes), a pass's
// own, and compileModule's.
Result<CompiledModule> compileForCpu(std::shared_ptr<const Module> module, const CpuCompileOptions& options,
                                     const CancelToken& cancel);

// What an engine of these kernels does to a module before it runs.
ProgramCompiler compilerOf(const CodegenEngine& codegen);

Engine cpuEngine();
Engine plainEngine();

}  // namespace hilo
