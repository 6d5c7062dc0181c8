#include "core/workspace/run/cpu_engine.h"

#include <algorithm>

#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/plain/plain_codegen.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/dumped_flags.h"
#include "core/workspace/run/program_executable.h"

namespace hilo {

const CodegenEngine& hostCodegen() { return cpuCodegen(); }

namespace {

std::vector<EngineFlag> commonFlags() {
  return {{"no-passes", "compile the module as it is, without the pipeline"},
          {"quick", "compile quickly instead of well"},
          {"no-cache", "neither take kernels from the cache nor keep them there"}};
}

std::vector<EngineFlag> cpuFlags() {
  std::vector<EngineFlag> flags = commonFlags();
  for (const FastMathFlag& flag : kFastMathFlags)
    flags.push_back({std::string(flag.name), std::string(flag.description)});
  flags.push_back(
      {std::string(kAsDumped), "fast math as the debug options beside the module in its dump say"});
  return flags;
}

// Programs of these kernels, run by this machine.
Engine hostEngine(const CodegenEngine& codegen, std::string description, std::vector<EngineFlag> flags,
                  EngineRates rates) {
  return {.name = std::string(codegen.name),
          .description = std::move(description),
          .canRun = [&codegen](const Module& module) { return whyNotRunOn(module, {}, codegen); },
          .canRunOnDevices = [&codegen](const Module& module,
                                        DeviceGrid grid) { return whyNotRunOn(module, grid, codegen); },
          .compile = [&codegen](std::shared_ptr<const Module> module, const EngineSettings& settings,
                                const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
            const CompileOptions options{.flags = settings.flags, .tellSlow = settings.tellSlow};
            TRY(CompiledModule compiled, compilerOf(codegen).compile(module, options, cancel));
            TRY(auto executable,
                programExecutable(std::make_shared<const Program>(std::move(compiled.program)),
                                  settings.worker, settings.infeeds));
            executable->notes = std::move(compiled.notes);
            return executable;
          },
          .flags = std::move(flags),
          .compiler = compilerOf(codegen),
          .rates = rates};
}

}  // namespace

Engine cpuEngine() {
  return hostEngine(
      cpuCodegen(),
      "compiled by LLVM for this processor, run as thunks on its threads, any number of devices", cpuFlags(),
      {.flopsPerSecond = 2e10, .bytesPerSecond = 5e9});
}

Engine plainEngine() {
  return hostEngine(
      plainCodegen(),
      "compiled for this processor one instruction at a time: one loop each, no fusion, no library",
      commonFlags(), {.flopsPerSecond = 1e9, .bytesPerSecond = 2e9});
}

}  // namespace hilo
