// Random modules, by the evaluator and by the cpu engine with its passes: the same values.
#include <gtest/gtest.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/print.h"
#include "tests/support/random_module.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

TEST(RandomModulesOnCpu, AgreeWithTheEvaluator) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::shared_ptr<const Module> module = makeRandomModule({.seed = seed, .instructions = 30});
    const auto arguments = makeArguments(*module, seed);
    ASSERT_TRUE(arguments.has_value()) << toString(arguments.error());
    const auto expected = evaluate(*module, arguments->arguments);
    ASSERT_TRUE(expected.has_value()) << toString(expected.error());
    const auto got = runOnCpu(module, arguments->arguments, {.usesCache = false, .quick = true});
    ASSERT_TRUE(got.has_value()) << "seed " << seed << ": " << toString(got.error()) << "\n"
                                 << printModule(*module);
    const auto differences = compareLiterals(*got, *expected);
    ASSERT_TRUE(differences.has_value());
    EXPECT_TRUE(agrees(*differences)) << "seed " << seed << "\n" << printModule(*module);
  }
}

}  // namespace
}  // namespace hilo
