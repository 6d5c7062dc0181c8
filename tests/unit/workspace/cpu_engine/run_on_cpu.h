// Runs a module by the cpu engine as it is: no passes before, no cache on disk.
#pragma once

#include "core/runtime/executor/executor.h"
#include "core/workspace/run/cpu_engine.h"

namespace hilo {

inline Result<Literal> runOnCpu(std::shared_ptr<const Module> module, std::span<const Literal> arguments,
                                const CpuCompileOptions& options = {.usesCache = false,
                                                                    .runsPasses = false}) {
  TRY(CompiledModule compiled, compileForCpu(std::move(module), options, {}));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  return executor->run(arguments);
}

// The same on several devices, with a list of arguments for each.
inline Result<std::vector<Literal>> runOnCpuDevices(std::shared_ptr<const Module> module, DeviceGrid grid,
                                                    const std::vector<std::vector<Literal>>& arguments,
                                                    const CpuCompileOptions& options) {
  TRY(CompiledModule compiled, compileForCpu(std::move(module), options, {}));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  return executor->runOnDevices(grid, arguments, {});
}

}  // namespace hilo
