// The cpu engine: passes, code by LLVM, thunks on the processor's threads. Where the compiler
// meets the runtime.
#pragma once

#include "core/compiler/codegen/lower/compile_module.h"
#include "core/runtime/engine/engine.h"

namespace hilo {

struct CpuCompileOptions {
  std::string cpu;                                     // as LLVM names it; "": this machine
  std::optional<ProgramTarget> target = std::nullopt;  // in the place of `cpu`
  bool usesCache = true;                               // the folder of compiled kernels (kernelCacheFolder)
  bool runsPasses = true;                              // the pipeline "cpu" first
  bool quick = false;                                  // compiled quickly instead of well
  FastMath fastMath;                                   // how exact floats are
  TellSlow tellSlow;                                   // of passes and kernels that take long
};

// The flag of the engine that stands for those the module's dump asks for (dumped_flags.h). It never gets to
// the engine: whoever runs a module puts these in its place.
inline constexpr std::string_view kAsDumped = "as-dumped";

// Where compiled kernels are kept: $HILO_KERNEL_CACHE, else $XDG_CACHE_HOME/hilo/kernels, else
// ~/.cache/hilo/kernels; "" when none of these is set.
std::string kernelCacheFolder();

// Everything that keeps the module from being compiled, by name. Empty: compileForCpu will not refuse it.
Diagnostics whyNotCompiled(const Module& module);

// Error kinds: "not-compiled" (the first obstacle, the others in the notes), a pass's
// own, and compileModule's.
Result<CompiledModule> compileForCpu(std::shared_ptr<const Module> module, const CpuCompileOptions& options,
                                     const CancelToken& cancel);

// The module as it is compiled without the pipeline: calls to libraries written as HLO, the rest
// as it stands.
Result<std::shared_ptr<const Module>> expandedForCpu(std::shared_ptr<const Module> module,
                                                     const CancelToken& cancel);
// The instruction of `module` that one of the module expanded from it belongs to: itself, or a library call;
// not valid for one that is not there.
InstructionId expandedFrom(const Module& module, const Module& expanded, InstructionId id);

Engine cpuEngine();

// A program made ready to run, in a worker process where the options say how to start one; `infeeds` as
// EngineSettings has them. Error kinds: those
// of Executor::make and of WorkerProcess.
Result<std::unique_ptr<Executable>> programExecutable(std::shared_ptr<const Program> program,
                                                      const std::optional<WorkerOptions>& worker,
                                                      std::vector<InfeedValues> infeeds = {});

}  // namespace hilo
