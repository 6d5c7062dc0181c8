#include "core/workspace/run/compile_program.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/base/check.h"
#include "core/base/stopwatch.h"
#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/compiler/codegen/gpu/nvptx_target.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/hlo/eval/eval_context.h"
#include "core/hlo/ir/result_names.h"
#include "core/hlo/verify/verify.h"
#include "core/workspace/run/call_handlers.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

// Engines are given modules as these pass pipelines leave them, each the one of its name.
Pipeline pipelineOf(const CodegenEngine& codegen, std::string_view settings) {
  const Pipeline* named = findPipeline(codegen.name);
  CHECK(named != nullptr, codegen.name);
  Pipeline pipeline = *named;
  const auto wishes = parsePassList(settings);
  CHECK(wishes.has_value(), settings);
  for (const ConfiguredPass& wish : *wishes) {
    for (ConfiguredPass& configured : pipeline.passes) {
      if (configured.pass != wish.pass) continue;
      for (const SettingChange& change : wish.settings) configured.set(change);
    }
  }
  return pipeline;
}

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

// The pipeline, or what of it nothing can be compiled without.
Result<std::shared_ptr<const Module>> optimized(std::shared_ptr<const Module> module,
                                                const CodegenEngine& codegen, std::string_view settings,
                                                bool runsPasses, const DeviceWork& deviceWork,
                                                const CancelToken& cancel, const TellSlow& tellSlow) {
  const Pipeline pipeline = pipelineOf(codegen, settings);
  const auto& expand = pipeline.phases[0];
  CHECK(expand.name == "expand");
  const std::vector<ConfiguredPass> least(
      pipeline.passes.begin() + static_cast<ptrdiff_t>(expand.first),
      pipeline.passes.begin() + static_cast<ptrdiff_t>(expand.first + expand.count));
  std::vector<ConfiguredPass> passes = runsPasses ? pipeline.passes : least;
  for (ConfiguredPass& pass : passes) {
    if (!deviceWork.mayAsk<ConvolutionCall>() || pass.name() != "convolution-as-dot") continue;
    TRY(SettingChange leaves, parseSetting(pass.pass->settings, pass.name(), "leaves_plain", "true"));
    pass.set(std::move(leaves));
  }
  // What passes leave unused on the way, such as dead instructions of fusions, the last one removes.
  const PassRun run = runPasses(module, passes, {.cancel = cancel, .verify = false, .tellSlow = tellSlow});
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

Diagnostics whyNotCompiled(const Module& module, const CodegenEngine& codegen) {
  Diagnostics obstacles = verify(module);
  std::erase_if(obstacles, [](const Diagnostic& d) { return d.severity != Severity::kError; });
  if (!obstacles.empty()) return obstacles;
  return codegenObstacles(module, codegen,
                          [](std::string_view target) { return findCallHandler(target).index() != 0; });
}

Diagnostics whyNotRunOn(const Module& module, DeviceGrid grid, const CodegenEngine& codegen) {
  Diagnostics obstacles = whyNotCompiled(module, codegen);
  if (!obstacles.empty()) return obstacles;
  absl::flat_hash_set<const Computation*> visited;
  findRefusedExchanges(*module.entry(), grid, visited, obstacles);
  return obstacles;
}

namespace {

// Kernels made of loops: a thread an iteration. The PTX of each has its name in messages.
void launchByIterations(Program& program) {
  for (Kernel& kernel : program.kernels) {
    kernel.launch.blockX = kBlockThreads;
    std::string& name = program.objects[kernel.object].name;
    if (name.empty()) name = kernel.name + ".ptx";
  }
}

}  // namespace

Result<std::shared_ptr<const Module>> expandedFor(const CodegenEngine& codegen,
                                                  std::shared_ptr<const Module> module,
                                                  const CancelToken& cancel) {
  return optimized(std::move(module), codegen, "", false, {}, cancel, nullptr);
}

Result<CompiledModule> compileProgram(std::shared_ptr<const Module> module, const ProgramOptions& options,
                                      const CancelToken& cancel) {
  const Stopwatch watch;
  // As it was given, whatever passes make of it.
  const uint64_t hash = moduleHash(*module);
  std::vector<std::string> names = resultNames(*module);
  const bool givesOutfeed = hasOutfeed(*module);
  Diagnostics obstacles = whyNotCompiled(*module, *options.codegen);
  if (obstacles.empty()) {
    TRY(module, optimized(module, *options.codegen, options.passSettings, options.runsPasses,
                          options.deviceWork, cancel, options.tellSlow));
    obstacles = whyNotCompiled(*module, *options.codegen);
  }
  if (!obstacles.empty()) {
    Diagnostic first = std::move(obstacles[0]);
    for (size_t i = 1; i < obstacles.size(); ++i) first.notes.push_back(toString(obstacles[i]));
    return std::unexpected(std::move(first));
  }
  TRY(const ProgramTarget target,
      options.target ? Result<ProgramTarget>(*options.target) : processorTarget(options.processor));
  const int64_t passed = watch.ns();
  TRY(CompiledModule compiled,
      compileModule(*module, *options.codegen,
                    {.target = target,
                     .cacheFolder = options.usesCache ? kernelCacheFolder() : std::string(),
                     .quick = options.quick,
                     .fastMath = options.fastMath,
                     .cancel = cancel,
                     .tellSlow = options.tellSlow},
                    options.deviceWork));
  compiled.times.passesNs = passed;
  if (options.usesCache && kernelCacheFolder().empty())
    compiled.notes.emplace_back(
        "compiled kernels cannot be kept: neither HILO_KERNEL_CACHE nor XDG_CACHE_HOME nor HOME is set");
  if (isForGrids(compiled.program)) launchByIterations(compiled.program);
  compiled.program.moduleHash = hash;
  compiled.program.resultNames = std::move(names);
  compiled.program.givesOutfeed = givesOutfeed;
  return compiled;
}

namespace {

ProgramOptions optionsOf(const CompileOptions& given, const CodegenEngine& codegen) {
  const auto has = [&](std::string_view flag) {
    return std::ranges::find(given.flags, flag) != given.flags.end();
  };
  ProgramOptions options{.processor = given.processor,
                         .target = given.target,
                         .usesCache = !has("no-cache"),
                         .runsPasses = given.runsPasses && !has("no-passes"),
                         .quick = has("quick"),
                         .tellSlow = given.tellSlow,
                         .codegen = &codegen};
  for (const FastMathFlag& flag : kFastMathFlags) {
    if (!has(flag.name)) continue;
    options.fastMath.*flag.field = true;
    options.fastMath.isOn |= flag.needsFastMath;
  }
  return options;
}

}  // namespace

ProgramCompiler compilerOf(const CodegenEngine& codegen) {
  return {.pipeline = std::string(codegen.name),
          .obstacles = [&codegen](const Module& module) { return whyNotCompiled(module, codegen); },
          .compile =
              [&codegen](std::shared_ptr<const Module> module, const CompileOptions& options,
                         const CancelToken& cancel) {
                return compileProgram(std::move(module), optionsOf(options, codegen), cancel);
              },
          .expanded =
              [&codegen](std::shared_ptr<const Module> module, const CancelToken& cancel) {
                return expandedFor(codegen, std::move(module), cancel);
              }};
}

}  // namespace hilo
