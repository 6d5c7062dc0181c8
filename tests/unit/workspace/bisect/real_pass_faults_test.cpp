// Faults planted inside real passes: each pass runs as it is, and once its N-th rewrite is made the module is
// wrong in one of five ways. The search must name the pass, the rewrite and the instruction it is of.
#include <gtest/gtest.h>

#include "core/base/stopwatch.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/hlo/eval/arguments.h"
#include "core/workspace/bisect/bisect.h"
#include "core/workspace/watch/pass_process.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"
#include "tests/support/random_module.h"
#include "tests/unit/workspace/bisect/faulty_pass.h"

namespace hilo {
namespace {

// A module that the pass makes several rewrites in and whose results are numbers; null: none of a few is.
std::shared_ptr<const Module> moduleFor(const Pass& pass, int64_t& rewrites) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    auto onDevices = fuzz::makeDeviceCase(seed, 60, 4);
    const bool isLarge = seed % 2 == 0 && seed < 6;
    std::shared_ptr<const Module> module;
    if (isLarge) {
      module = makeRandomModule({.seed = seed, .instructions = 5000});
    } else if (onDevices) {
      module = onDevices->module;
    }
    if (module == nullptr || firstResult(const_cast<Module&>(*module)) == nullptr) continue;
    const PassStep step = runPasses(module, {&pass}, {}).steps[0];
    if (step.outcome != PassOutcome::Changed || step.rewrites < 2) continue;
    rewrites = step.rewrites;
    return module;
  }
  return nullptr;
}

TEST(RealPassFaults, AreNamedByPassRewriteAndInstruction) {
  int faults = 0, passes = 0;
  const Stopwatch all;
  for (const Pass& pass : allPasses()) {
    int64_t rewrites = 0;
    const std::shared_ptr<const Module> module = moduleFor(pass, rewrites);
    if (module == nullptr) continue;
    ++passes;
    for (const FaultKind& fault : faultKinds()) {
      if (fault.name == "crash") continue;  // a process for each look: in corpus_faults_test.cpp
      const int64_t faultyRewrite = 1 + rewrites * 2 / 5;
      const Pass faulty = faultyPass(pass, fault, faultyRewrite);
      const std::string at = fmt::format("{} {}", pass.name, fault.name);
      BisectRequest request{.module = module, .passes = {ConfiguredPass(&faulty)}};
      auto arguments = makeArguments(*module, 7);
      if (arguments) request.arguments = arguments->arguments;
      // So many more than there are cannot come from the pass itself.
      std::string watched = fault.watcher;
      if (watched.ends_with(':')) watched += std::to_string(module->instructionCount() + 1500);
      const auto watcher = makeWatcher(watched, {.passWorker = ownPassWorker()});
      ASSERT_TRUE(watcher) << at;
      const auto found = bisect(request, **watcher, {});
      ASSERT_TRUE(found) << at << toString(found.error());
      // Some watchers say nothing of a module of several devices, or of one that gives no numbers.
      if (found->outcome != BisectOutcome::Found) continue;
      ++faults;
      EXPECT_EQ(found->pass.substr(0, found->pass.find('{')), pass.name) << at;
      ASSERT_TRUE(found->rewrite) << at << found->whyNoRewrite;
      EXPECT_EQ(found->rewrite->bad, faultyRewrite) << at;
      EXPECT_EQ(found->rewrite->good, faultyRewrite - 1) << at;
      const PassStep before =
          runPasses(module, {&pass}, {.fuel = {{std::string(pass.name), faultyRewrite - 1}}}).steps[0];
      ASSERT_TRUE(before.refused && found->rewrite->instruction) << at;
      EXPECT_EQ(found->rewrite->instruction->name, before.refused->name) << at;
    }
  }
  fmt::print("{} faults in {} passes, {:.1f} s\n", faults, passes, static_cast<double>(all.ns()) / 1e9);
  EXPECT_GE(faults, 40);
  EXPECT_GE(passes, 12);
}

}  // namespace
}  // namespace hilo
