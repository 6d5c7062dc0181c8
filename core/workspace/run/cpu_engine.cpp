#include "core/workspace/run/cpu_engine.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/base/stopwatch.h"
#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/all_passes.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/hlo/eval/eval_context.h"
#include "core/hlo/ir/result_names.h"
#include "core/hlo/verify/verify.h"
#include "core/plugin_host/plugin_table.h"
#include "core/workspace/run/dumped_flags.h"
#include "core/workspace/run/program_executable.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

constexpr std::string_view kPipeline = "cpu";

// What keeps the computation, and those it calls that were not visited yet, from exchanging data on
// these devices rather than others: of that the evaluator knows. The module was verified, so that calls
// do not go deep.
void findRefusedExchanges(const Computation& computation, DeviceGrid grid,
                          absl::flat_hash_set<const Computation*>& visited, Diagnostics& found) {
  if (!visited.insert(&computation).second) return;
  for (const Instruction* instruction : computation.instructions()) {
    const OpcodeClass family = opcodeClass(instruction->opcode());
    if (family == OpcodeClass::Collective || family == OpcodeClass::Communication) {
      if (auto refused = refusal(*instruction, grid)) found.push_back(*std::move(refused));
    }
    for (const Computation* called : instruction->calledComputations())
      findRefusedExchanges(*called, grid, visited, found);
  }
}

Diagnostics whyNotRunOn(const Module& module, DeviceGrid grid) {
  Diagnostics obstacles = whyNotCompiled(module);
  if (!obstacles.empty()) return obstacles;
  absl::flat_hash_set<const Computation*> visited;
  findRefusedExchanges(*module.entry(), grid, visited, obstacles);
  return obstacles;
}

// The pipeline, or what of it nothing can be compiled without.
Result<std::shared_ptr<const Module>> optimized(std::shared_ptr<const Module> module, bool runsPasses,
                                                const CancelToken& cancel, const TellSlow& tellSlow) {
  const Pipeline* pipeline = findPipeline(kPipeline);
  CHECK(pipeline != nullptr);
  const auto& expand = pipeline->phases[0];
  CHECK(expand.name == "expand");
  const std::vector<ConfiguredPass> least(
      pipeline->passes.begin() + static_cast<ptrdiff_t>(expand.first),
      pipeline->passes.begin() + static_cast<ptrdiff_t>(expand.first + expand.count));
  // What passes leave unused on the way, such as dead instructions of fusions, the last one removes.
  const PassRun run = runPasses(module, runsPasses ? pipeline->passes : least,
                                {.cancel = cancel, .verify = false, .tellSlow = tellSlow});
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
  return codegenObstacles(module, cpuCodegen(),
                          [](std::string_view target) { return findCustomCall(target) != nullptr; });
}

Result<CompiledModule> compileForCpu(std::shared_ptr<const Module> module, const CpuCompileOptions& options,
                                     const CancelToken& cancel) {
  const Stopwatch watch;
  // As it was given, whatever passes make of it.
  const uint64_t hash = moduleHash(*module);
  std::vector<std::string> names = resultNames(*module);
  const bool givesOutfeed = hasOutfeed(*module);
  Diagnostics obstacles = whyNotCompiled(*module);
  if (obstacles.empty()) {
    TRY(module, optimized(module, options.runsPasses, cancel, options.tellSlow));
    obstacles = whyNotCompiled(*module);
  }
  if (!obstacles.empty()) {
    Diagnostic first = std::move(obstacles[0]);
    for (size_t i = 1; i < obstacles.size(); ++i) first.notes.push_back(toString(obstacles[i]));
    return std::unexpected(std::move(first));
  }
  TRY(const ProgramTarget target,
      options.target ? Result<ProgramTarget>(*options.target) : cpuTarget(options.cpu));
  const int64_t passed = watch.ns();
  TRY(CompiledModule compiled,
      compileModule(*module, cpuCodegen(),
                    {.target = target,
                     .cacheFolder = options.usesCache ? kernelCacheFolder() : std::string(),
                     .quick = options.quick,
                     .fastMath = options.fastMath,
                     .cancel = cancel,
                     .tellSlow = options.tellSlow}));
  compiled.times.passesNs = passed;
  if (options.usesCache && kernelCacheFolder().empty())
    compiled.notes.emplace_back(
        "compiled kernels cannot be kept: neither HILO_KERNEL_CACHE nor XDG_CACHE_HOME nor HOME is set");
  compiled.program.moduleHash = hash;
  compiled.program.resultNames = std::move(names);
  compiled.program.givesOutfeed = givesOutfeed;
  return compiled;
}

namespace {

CpuCompileOptions optionsOf(const CompileOptions& given) {
  const auto has = [&](std::string_view flag) {
    return std::ranges::find(given.flags, flag) != given.flags.end();
  };
  CpuCompileOptions options{.cpu = given.processor,
                            .target = given.target,
                            .usesCache = !has("no-cache"),
                            .runsPasses = given.runsPasses && !has("no-passes"),
                            .quick = has("quick"),
                            .tellSlow = given.tellSlow};
  for (const FastMathFlag& flag : kFastMathFlags) {
    if (!has(flag.name)) continue;
    options.fastMath.*flag.field = true;
    options.fastMath.isOn |= flag.needsFastMath;
  }
  return options;
}

std::vector<EngineFlag> cpuFlags() {
  std::vector<EngineFlag> flags = {{"no-passes", "compile the module as it is, without the pipeline"},
                                   {"quick", "compile quickly instead of well"},
                                   {"no-cache", "neither take kernels from the cache nor keep them there"}};
  for (const FastMathFlag& flag : kFastMathFlags)
    flags.push_back({std::string(flag.name), std::string(flag.description)});
  flags.push_back(
      {std::string(kAsDumped), "fast math as the debug options beside the module in its dump say"});
  return flags;
}

}  // namespace

Engine cpuEngine() {
  return {
      .name = "cpu",
      .description =
          "compiled by LLVM for this processor, run as thunks on its threads, any number of devices",
      .canRun = [](const Module& module) { return whyNotRunOn(module, {}); },
      .canRunOnDevices = whyNotRunOn,
      .compile = [](std::shared_ptr<const Module> module, const EngineSettings& settings,
                    const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
        const CompileOptions options{.flags = settings.flags, .tellSlow = settings.tellSlow};
        TRY(CompiledModule compiled, compileForCpu(module, optionsOf(options), cancel));
        TRY(auto executable, programExecutable(std::make_shared<const Program>(std::move(compiled.program)),
                                               settings.worker, settings.infeeds));
        executable->notes = std::move(compiled.notes);
        return executable;
      },
      .flags = cpuFlags(),
      .compiler = ProgramCompiler{.pipeline = std::string(kPipeline),
                                  .obstacles = whyNotCompiled,
                                  .compile =
                                      [](std::shared_ptr<const Module> module, const CompileOptions& options,
                                         const CancelToken& cancel) {
                                        return compileForCpu(std::move(module), optionsOf(options), cancel);
                                      },
                                  .expanded =
                                      [](std::shared_ptr<const Module> module, const CancelToken& cancel) {
                                        return optimized(std::move(module), false, cancel, nullptr);
                                      }}};
}

}  // namespace hilo
