// From a module to a program: the pass pipeline of an engine, then code. Where compiler and runtime meet.
#pragma once

#include "core/compiler/codegen/lower/codegen_engine.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/runtime/engine/engine.h"

namespace hilo {

// Kernels that are made fast, for this machine: those of the engine that is taken where none is named.
const CodegenEngine& hostCodegen();

struct ProgramOptions {
  std::string processor;                               // as LLVM names it; "": this machine's
  std::optional<ProgramTarget> target = std::nullopt;  // in the place of `processor`
  bool usesCache = true;                               // the folder of compiled kernels (kernelCacheFolder)
  bool runsPasses = true;                              // the engine's pipeline first
  // Passes of the pipeline with settings of theirs, as parsePassList reads them.
  std::string passSettings;
  bool quick = false;                             // compiled quickly instead of well
  FastMath fastMath;                              // how exact floats are
  TellSlow tellSlow;                              // of passes and kernels that take long
  const CodegenEngine* codegen = &hostCodegen();  // how kernels are made; its pipeline has its name
  DeviceWork deviceWork = {};                     // what libraries of a device and the host do
};

// Where compiled kernels are kept: $HILO_KERNEL_CACHE, else $XDG_CACHE_HOME/hilo/kernels, else
// ~/.cache/hilo/kernels; "" when none of these is set.
std::string kernelCacheFolder();

// Everything that keeps the module from being compiled, by name. Empty: compileProgram will not refuse it.
Diagnostics whyNotCompiled(const Module& module, const CodegenEngine& codegen = hostCodegen());

// The same, and what keeps its exchanges from running on these devices.
Diagnostics whyNotRunOn(const Module& module, DeviceGrid grid, const CodegenEngine& codegen);

// What of the pipeline nothing can be compiled without. Kinds "cancelled", "pass-failed".
Result<std::shared_ptr<const Module>> expandedFor(const CodegenEngine& codegen,
                                                  std::shared_ptr<const Module> module,
                                                  const CancelToken& cancel);

// Error kinds: "not-compiled" (the first obstacle, the others in the notes), a pass's
// own, and compileModule's.
Result<CompiledModule> compileProgram(std::shared_ptr<const Module> module, const ProgramOptions& options,
                                      const CancelToken& cancel);

// What an engine of these kernels does to a module before it runs.
ProgramCompiler compilerOf(const CodegenEngine& codegen);

}  // namespace hilo
