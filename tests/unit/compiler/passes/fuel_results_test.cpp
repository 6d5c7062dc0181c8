// Whatever number of rewrites a pass is allowed, what it leaves is a module with the same answers: fuel takes
// rewrites away, and never leaves one half done.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/hlo/text/print.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"
#include "tests/support/random_module.h"

namespace hilo {
namespace {

PassStep runWith(std::shared_ptr<const Module> module, const Pass& pass, int64_t rewrites) {
  return runPasses(std::move(module), {&pass}, {.fuel = {{std::string(pass.name), rewrites}}}).steps[0];
}

void expectSoundAt(const std::shared_ptr<const Module>& module, const Pass& pass, int64_t rewrites,
                   int64_t all, uint64_t seed) {
  const PassStep step = runWith(module, pass, rewrites);
  const std::string at = fmt::format("{}, {} of {} rewrites, seed {}", pass.name, rewrites, all, seed);
  ASSERT_NE(step.outcome, PassOutcome::Failed)
      << at << (step.problems.empty() ? "" : toString(step.problems[0]));
  EXPECT_EQ(step.rewrites, rewrites) << at;
  EXPECT_EQ(step.refused.has_value(), rewrites < all) << at;
  // Copies are what makes a module right; what asks is leaving them out.
  if (rewrites == 0 && pass.name != "copy-insertion")
    EXPECT_EQ(printModule(*step.module), printModule(*module)) << at;
}

// How many passes were seen to ask.
TEST(FuelResults, EveryNumberOfRewritesLeavesASoundModule) {
  int asking = 0;
  for (const Pass& pass : allPasses()) {
    bool asks = false;
    for (uint64_t seed = 0; seed < 24; ++seed) {
      const bool isSimple = seed % 2 == 0;
      auto onDevices = fuzz::makeDeviceCase(seed, 25, 4);
      ASSERT_TRUE(onDevices);
      const std::shared_ptr<const Module> module =
          isSimple ? std::shared_ptr<const Module>(makeRandomModule({.seed = seed})) : onDevices->module;
      const PassStep whole = runWith(module, pass, Fuel::kUnlimited - 1);
      if (whole.outcome != PassOutcome::Changed || whole.rewrites == 0) continue;
      asks = true;
      for (const int64_t rewrites :
           {int64_t{0}, int64_t{1}, whole.rewrites / 2, whole.rewrites - 1, whole.rewrites})
        expectSoundAt(module, pass, rewrites, whole.rewrites, seed);
    }
    asking += asks ? 1 : 0;
  }
  EXPECT_GE(asking, 14);
}

}  // namespace
}  // namespace hilo
