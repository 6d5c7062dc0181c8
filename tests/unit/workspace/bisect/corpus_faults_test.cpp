// Faults planted inside real passes, over real modules of thousands of instructions: the search must name the
// pass among others, the rewrite and the instruction it is of. HILO_CORPUS says where the modules are;
// without HILO_ALL_FAULTS a few faults are looked for.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/stopwatch.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/workspace/bisect/bisect.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/watch/pass_process.h"
#include "core/workspace/watch/search_input.h"
#include "tests/unit/workspace/bisect/faulty_pass.h"

namespace hilo {
namespace {

// The first is small enough to be evaluated in a second or two.
constexpr const char* kModules[] = {
    "xla_hlo_files/xla/backends/cpu/benchmarks/hlo/jax.issue.33666.linx.slow_0428.module_0006.hlo",
    "models_before_opt/large_language_models/deepseek2_16b/training/"
    "module_0132.jit_train_step.before_optimizations.txt",
    "models_before_opt/vision_diffusion/mlp_mixer/training/"
    "module_1707.jit_train_step.before_optimizations.txt",
    "models_before_opt/large_language_models/gemma3_4b/inference/1gpu/"
    "module_2885.jit__generate_jit.before_optimizations.txt",
    "models_before_opt/science/colabfold/inference/1gpu/module_0200.jit_apply_fn.before_optimizations.txt",
    "xla_hlo_files/xla/tools/data/benchmarking/mobilenet_v2.hlo",
    "xla_hlo_files/xla/tools/benchmarks/hlo/hlo_llama31_70b_fp8_16x8.hlo",
};

struct RealModule {
  std::shared_ptr<const Module> module;
  std::vector<Literal> arguments;  // none: too large to be evaluated
};

std::vector<RealModule> realModules(const std::string& corpus) {
  std::vector<RealModule> modules;
  for (const char* path : kModules) {
    const auto file = openFile(corpus + "/" + path);
    if (!file) continue;
    RealModule& real = modules.emplace_back(RealModule{(*file)->module, {}});
    if (modules.size() > 1) continue;
    auto input = settleInput(real.module, {.seed = 7}, std::nullopt, {});
    EXPECT_TRUE(input) << toString(input.error());
    if (input) real = {std::move(input->module), std::move(input->arguments)};
  }
  return modules;
}

// Passes that change nothing but stand around the faulty one, as in a pipeline.
std::vector<ConfiguredPass> among(const Pass& faulty) {
  std::vector<ConfiguredPass> passes;
  for (const char* name : {"dce", "tuple-simplifier"}) passes.emplace_back(findPass(name));
  passes.emplace_back(&faulty);
  for (const char* name : {"dce", "zero_sized_hlo_elimination"}) {
    if (const Pass* pass = findPass(name)) passes.emplace_back(pass);
  }
  return passes;
}

struct FaultSearch {
  const Pass& pass;
  const FaultKind& fault;
  const RealModule& real;
  int64_t rewrite;
};

// Whether the fault was found; what it was found to be is checked.
bool isNamed(const FaultSearch& search, double& seconds) {
  const Module& module = *search.real.module;
  const Pass faulty = faultyPass(search.pass, search.fault, search.rewrite);
  const std::string at = fmt::format("{} {} in {}", search.pass.name, search.fault.name, module.name());
  std::string watched = search.fault.watcher;
  if (watched.ends_with(':')) watched += "1.2x";  // a fault adds 2,000
  const auto watcher = makeWatcher(watched, {.passWorker = ownPassWorker()});
  if (!watcher) return false;
  const BisectRequest request{
      .module = search.real.module, .passes = among(faulty), .arguments = search.real.arguments};
  const Stopwatch watch;
  const auto found = bisect(request, **watcher, {});
  seconds = static_cast<double>(watch.ns()) / 1e9;
  if (!found) {
    ADD_FAILURE() << at << ": " << toString(found.error());
    return false;
  }
  if (found->outcome != BisectOutcome::Found) {
    fmt::print("{}: {}, {}\n", at, static_cast<int>(found->outcome), found->end.what);
    return false;
  }
  EXPECT_EQ(found->pass.substr(0, found->pass.find('{')), search.pass.name) << at;
  if (!found->rewrite || !found->rewrite->instruction) {
    ADD_FAILURE() << at << ": " << found->whyNoRewrite;
    return false;
  }
  EXPECT_EQ(found->rewrite->bad, search.rewrite) << at;
  EXPECT_EQ(found->rewrite->good, search.rewrite - 1) << at;
  EXPECT_NE(found->rewrite->instruction->name, "") << at;
  return true;
}

bool isWatchedRunning(const FaultKind& fault) {
  return fault.name == "wrong" || fault.name == "nan" || fault.name == "fails";
}

// Rewrites that the pass makes in the module as it is given to it; fewer than two are none.
int64_t rewritesOf(const Pass& pass, const RealModule& real) {
  const std::vector<PassStep> steps = runPasses(real.module, among(pass), {}).steps;
  const auto step = std::ranges::find(steps, pass.name, &PassStep::pass);
  if (step == steps.end() || step->outcome != PassOutcome::Changed || step->rewrites < 2) return 0;
  return step->rewrites;
}

TEST(CorpusFaults, AreNamedInRealModules) {
  const char* corpus = std::getenv("HILO_CORPUS");
  if (corpus == nullptr || !std::filesystem::is_directory(corpus)) GTEST_SKIP() << "no corpus";
  const bool all = std::getenv("HILO_ALL_FAULTS") != nullptr;
  // Looks that evaluate a module take seconds.
  const int enough = all ? 80 : 6, enoughRuns = all ? 12 : 3;
  const std::vector<RealModule> modules = realModules(corpus);
  ASSERT_FALSE(modules.empty());
  setLargeElements(int64_t{1} << 42);
  int found = 0, runs = 0, passes = 0;
  double slowest = 0;
  for (const Pass& pass : allPasses()) {
    if (!pass.isThere() || (!all && pass.name != "call-inliner")) continue;
    bool isIn = false;
    // Faults that are seen without running the module are planted in one it would take long to run.
    for (size_t n = 0; n < modules.size() && found < enough; ++n) {
      const int64_t rewrites = rewritesOf(pass, modules[n]);
      if (rewrites == 0) continue;
      const bool isRun = !modules[n].arguments.empty();
      for (const FaultKind& fault : faultKinds()) {
        if (isWatchedRunning(fault) != isRun || (isRun && runs >= enoughRuns)) continue;
        double seconds = 0;
        if (!isNamed({pass, fault, modules[n], 1 + rewrites * 2 / 5}, seconds)) continue;
        fmt::print("{:5.1f} s {} {} in {}, {} instructions, rewrite {} of {}\n", seconds, pass.name,
                   fault.name, modules[n].module->name(), modules[n].module->instructionCount(),
                   1 + rewrites * 2 / 5, rewrites);
        slowest = std::max(slowest, seconds);
        ++found;
        runs += isRun;
        isIn = true;
      }
      if (!isRun) break;
    }
    passes += isIn;
  }
  fmt::print("{} faults in {} passes, the slowest {:.1f} s\n", found, passes, slowest);
  setLargeElements(int64_t{1} << 22);
  EXPECT_GE(found, all ? 40 : enough);
  EXPECT_GE(passes, all ? 20 : 1);
}

}  // namespace
}  // namespace hilo
