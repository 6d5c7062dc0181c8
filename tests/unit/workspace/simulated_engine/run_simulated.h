// Modules compiled for a GPU and run on the simulated one in this process, in check mode or without. What
// check mode finds is an error.
#pragma once

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/hlo/eval/infeeds.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/device_engines.h"

namespace hilo {

// Compiled quickly: there are many.
inline Result<std::unique_ptr<Executable>> compiledForSimulation(const std::shared_ptr<const Module>& module,
                                                                 bool runsPasses, bool isChecked) {
  TRY(const ProgramTarget target, gpuTarget("sm_90"));
  // One list for all devices, as the evaluator of these tests is given.
  TRY(InfeedValues infeed, makeInfeeds(infeedShapes(*module), 0));
  TRY(CompiledModule compiled, compileProgram(module,
                                              {.target = target,
                                               .usesCache = false,
                                               .runsPasses = runsPasses,
                                               .quick = true,
                                               .codegen = &gpuCodegen()},
                                              {}));
  return deviceExecutable(std::move(compiled.program), {.kind = "cuda-sim", .isChecked = isChecked},
                          std::nullopt, {std::move(infeed)});
}

inline Status whatWasFound(const Executable& executable) {
  for (const Diagnostic& finding : executable.lastMeasure().findings) {
    if (finding.severity == Severity::kError) return std::unexpected(finding);
  }
  return {};
}

inline Result<Literal> runSimulated(const std::shared_ptr<const Module>& module,
                                    std::span<const Literal> arguments, bool runsPasses, bool isChecked) {
  TRY(const auto executable, compiledForSimulation(module, runsPasses, isChecked));
  TRY(Literal result, executable->run(arguments, {}));
  TRY_STATUS(whatWasFound(*executable));
  return result;
}

inline Result<std::vector<Literal>> runSimulatedDevices(const std::shared_ptr<const Module>& module,
                                                        DeviceGrid grid,
                                                        std::span<const std::vector<Literal>> arguments,
                                                        bool runsPasses, bool isChecked) {
  TRY(const auto executable, compiledForSimulation(module, runsPasses, isChecked));
  TRY(auto results, executable->runOnDevices(grid, arguments, {}));
  TRY_STATUS(whatWasFound(*executable));
  return results;
}

}  // namespace hilo
