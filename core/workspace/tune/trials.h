// One instruction, compiled in several ways and timed. Private to the tuner.
#pragma once

#include "core/compiler/codegen/cpu/codegen_backend.h"
#include "core/runtime/engine/engine.h"
#include "core/workspace/tune/tune.h"

namespace hilo {

// The instruction as a module of its own: what it reads are parameters, but for constants.
struct TrialModule {
  std::shared_ptr<const Module> module;
  std::string instruction;  // its name there
  uint64_t hash = 0;        // moduleHash(): the same for instructions that differ in names alone
};
// Error kinds: those of extractModule.
Result<TrialModule> trialModuleOf(const Instruction& instruction);

// What is compiled when nothing is said, as a text that changes with it and with the compiler's version.
Result<std::string> compilerKey(const TrialModule& trial, const ProgramCompiler& compiler,
                                const CancelToken& cancel);

// What compiles the trials, and what it may choose from.
struct TrialWays {
  const ProgramCompiler& compiler;
  const CodegenBackend& backend;
};

// Compiles the trial with each config, the default first, and runs those that are different programs in
// turns. Errors: of the default; another config that does not compile, or fails or times out as it runs, says
// so in its remark.
Result<std::vector<TriedConfig>> tryConfigs(const TrialModule& trial, const TrialWays& ways,
                                            const TuneRequest& request, const JobContext& context);

}  // namespace hilo
