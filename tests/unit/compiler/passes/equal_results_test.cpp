// The property every pass must have: the reference evaluator gives the same answer before and after. Tried
// for each pass of the table and each pipeline on random modules.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/all_passes.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/verify/verify.h"
#include "tests/support/random_module.h"

namespace hilo {
namespace {

constexpr uint64_t kSeeds = 60;

// Equal as numbers: zeros of either sign are equal, so are NaNs.
bool sameNumbers(const Literal& a, const Literal& b) {
  if (a.shape() != b.shape()) return false;
  if (a.isTuple()) return std::ranges::equal(a.elements(), b.elements(), sameNumbers);
  if (a.shape().elementType() != ElementType::F32) return a == b;
  return std::ranges::equal(a.data<float>(), b.data<float>(),
                            [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void expectEqualResults(const std::vector<ConfiguredPass>& passes, std::string_view name) {
  size_t changed = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::shared_ptr<const Module> before = makeRandomModule({.seed = seed});
    const Diagnostics problems = verify(*before, {});
    ASSERT_FALSE(hasErrors(problems)) << "the generator is wrong: " << toString(problems[0]);
    const PassRun run = runPasses(before, passes, {});
    ASSERT_TRUE(run.completed()) << name << ", seed " << seed << ": "
                                 << toString(run.steps.back().problems[0]);
    changed += run.output() != before;

    const auto arguments = makeArguments(*before, seed);
    ASSERT_TRUE(arguments.has_value()) << toString(arguments.error());
    const auto expected = evaluate(*before, arguments->arguments);
    const auto actual = evaluate(*run.output(), arguments->arguments);
    ASSERT_TRUE(expected.has_value()) << toString(expected.error());
    ASSERT_TRUE(actual.has_value()) << toString(actual.error());
    EXPECT_TRUE(sameNumbers(*expected, *actual))
        << name << " changes the answer of the module of seed " << seed;
  }
  EXPECT_GT(changed, kSeeds / 4) << name
                                 << " has hardly anything to do on these modules: the test says little";
}

// Passes that have nothing to do on these modules of one device, small arrays and no schedule. Others have
// modules for them: collective_results_test.cpp and loop_results_test.cpp, and those of the cpu engine for
// products (product_chain_test.cpp, library_products_test.cpp, dot_algorithms_test.cpp), calls to libraries
// (library_calls_test.cpp), arrays with fewer elements than their bounds (cpu_dynamic_test.cpp) and sums of
// whole large arrays (cpu_sums_test.cpp).
constexpr std::string_view kTriedElsewhere[] = {
    "all-gather-combiner",
    "all-reduce-code-motion",
    "all-reduce-combiner",
    "async-collective-creator",
    "collective-pipeliner",
    "collective-pipeliner-backward",
    "collective-pipeliner-forward",
    "collective-pipeliner-forward-sink",
    "convert-async-collectives-to-sync",
    "disable-async-collectives",
    "double-buffer-loop-unrolling",
    "dynamic-padder",
    "expand-dot-algorithms",
    "expand-library-calls",
    "extremum-place-splitter",
    "latency-hiding-scheduler",
    "legalize-scheduling-annotations",
    "legalize-scheduling-annotations-gpu",
    "library-products",
    "partial-sort-fusion",
    "product-chain-fusion",
    "reduce-scatter-combiner",
    "reduction-splitter",
    "rematerialization",
    "schedule-aware-combiner",
    "while-loop-unroller",
};

TEST(EqualResults, EveryPass) {
  for (const Pass& pass : allPasses()) {
    if (std::ranges::find(kTriedElsewhere, pass.name) == std::end(kTriedElsewhere))
      expectEqualResults({&pass}, pass.name);
  }
}

TEST(EqualResults, EveryPipeline) {
  for (const Pipeline& pipeline : allPipelines()) expectEqualResults(pipeline.passes, pipeline.name);
}

}  // namespace
}  // namespace hilo
