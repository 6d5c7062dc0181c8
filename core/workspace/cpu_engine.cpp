#include "core/workspace/cpu_engine.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/compiler/codegen/cpu_target.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/hlo/verify/verify.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/runs.h"

namespace hilo {
namespace {

class CpuExecutable : public Executable {
 public:
  explicit CpuExecutable(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}
  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override {
    return executor_->run(arguments, {.cancel = cancel});
  }

 private:
  std::unique_ptr<Executor> executor_;
};

Result<std::shared_ptr<const Module>> optimized(std::shared_ptr<const Module> module,
                                                const CancelToken& cancel) {
  const Pipeline* pipeline = findPipeline("cpu");
  CHECK(pipeline != nullptr);
  // What passes leave unused on the way, such as dead instructions of fusions, the last one removes.
  const PassRun run = runPasses(module, pipeline->passes, {.cancel = cancel, .verify = false});
  if (run.completed()) return run.output();
  const PassStep& last = run.steps.back();
  if (last.outcome == PassOutcome::Cancelled) return fail("cancelled", "the compilation was cancelled");
  Diagnostic problem{Severity::kError, "pass-failed", fmt::format("the pass {} failed", last.pass)};
  for (const Diagnostic& diagnostic : last.problems) problem.notes.push_back(toString(diagnostic));
  return std::unexpected(std::move(problem));
}

}  // namespace

std::string kernelCacheFolder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string own = variable("HILO_KERNEL_CACHE"); !own.empty()) return own;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/hilo/kernels";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/hilo/kernels";
}

Diagnostics whyNotCompiled(const Module& module) {
  Diagnostics obstacles = verify(module);
  std::erase_if(obstacles, [](const Diagnostic& d) { return d.severity != Severity::kError; });
  if (!obstacles.empty()) return obstacles;
  return codegenObstacles(module);
}

Result<CompiledModule> compileForCpu(std::shared_ptr<const Module> module, const CpuCompileOptions& options,
                                     const CancelToken& cancel) {
  Diagnostics obstacles = whyNotCompiled(*module);
  if (options.runsPasses && obstacles.empty()) {
    TRY(module, optimized(module, cancel));
    obstacles = whyNotCompiled(*module);
  }
  if (!obstacles.empty()) {
    Diagnostic first = std::move(obstacles[0]);
    for (size_t i = 1; i < obstacles.size(); ++i) first.notes.push_back(toString(obstacles[i]));
    return std::unexpected(std::move(first));
  }
  TRY(const ProgramTarget target, cpuTarget(options.cpu));
  TRY(CompiledModule compiled,
      compileModule(*module, {.target = target,
                              .cacheFolder = options.usesCache ? kernelCacheFolder() : std::string(),
                              .quick = options.quick,
                              .cancel = cancel}));
  compiled.program.moduleHash = moduleHash(*module);
  return compiled;
}

Engine cpuEngine() {
  return {.name = "cpu",
          .description = "compiled by LLVM for this processor, run as thunks on its threads, one device",
          .canRun = whyNotCompiled,
          .compile = [](std::shared_ptr<const Module> module,
                        const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
            TRY(CompiledModule compiled, compileForCpu(module, {}, cancel));
            TRY(auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
            return std::make_unique<CpuExecutable>(std::move(executor));
          }};
}

}  // namespace hilo
