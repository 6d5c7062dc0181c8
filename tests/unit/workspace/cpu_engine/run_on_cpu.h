// Runs a module by the cpu engine as it is: no passes before, no cache on disk. Infeeds take values made up
// from seed 0.
#pragma once

#include "core/hlo/eval/infeeds.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/run/compile_program.h"

namespace hilo {

inline Result<Literal> runOnCpu(std::shared_ptr<const Module> module, std::span<const Literal> arguments,
                                const ProgramOptions& options = {.usesCache = false, .runsPasses = false}) {
  TRY(const InfeedValues infeed, makeInfeeds(infeedShapes(*module), 0));
  TRY(CompiledModule compiled, compileProgram(std::move(module), options, {}));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  return executor->run(arguments, {.infeeds = {&infeed, 1}});
}

// The same twice, where the second result is written over the first one, which was made something else: what
// a program leaves as it was is seen.
inline Result<Literal> runAgainOnCpu(std::shared_ptr<const Module> module, std::span<const Literal> arguments,
                                     const ProgramOptions& options) {
  TRY(CompiledModule compiled, compileProgram(std::move(module), options, {}));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  TRY(Literal first, executor->run(arguments));
  for (Literal* leaf : mutableArrayLeaves(first)) std::ranges::fill(leaf->mutableBytes(), std::byte{0xa5});
  first = Literal();
  return executor->run(arguments);
}

// The same on several devices, with a list of arguments for each.
inline Result<std::vector<Literal>> runOnCpuDevices(std::shared_ptr<const Module> module, DeviceGrid grid,
                                                    const std::vector<std::vector<Literal>>& arguments,
                                                    const ProgramOptions& options) {
  TRY(const InfeedValues infeed, makeInfeeds(infeedShapes(*module), 0));
  TRY(CompiledModule compiled, compileProgram(std::move(module), options, {}));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  return executor->runOnDevices(grid, arguments, {.infeeds = {&infeed, 1}});
}

}  // namespace hilo
