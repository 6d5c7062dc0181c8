#include "core/workspace/run/fitting_engine.h"

#include <gtest/gtest.h>

#include "tests/support/module_text.h"

namespace hilo {
namespace {

TEST(FittingEngine, isTheDefaultOneWhereThatRunsTheModule) {
  const auto module = moduleOf("ENTRY e { a = f32[4] parameter(0)\n ROOT r = f32[4] negate(a) }");
  const FittingEngine fitting = fittingEngine(*module);
  EXPECT_EQ(fitting.name, "cpu");
  EXPECT_EQ(fitting.note(), "");
}

TEST(FittingEngine, isTheEvaluatorWhereOnlyThatDoes) {
  const auto module = moduleOf(
      "ENTRY e { a = f32[<=8] parameter(0)\n f = token[] after-all()\n"
      "ROOT o = token[] outfeed(a, f), outfeed_shape=f32[<=8] }");
  const FittingEngine fitting = fittingEngine(*module);
  EXPECT_EQ(fitting.name, "reference");
  EXPECT_EQ(
      fitting.note(),
      "engine reference: cpu cannot run it: outfeed of f32[<=8], which may have fewer elements than its "
      "bounds");
}

// Then the refusal is of the engine that was wanted.
TEST(FittingEngine, isTheDefaultOneWhereNoneDoes) {
  const auto module = moduleOf(
      "ENTRY e { a = f32[4] parameter(0)\n"
      "ROOT r = f32[4] custom-call(a), custom_call_target=\"mystery\" }");
  EXPECT_EQ(fittingEngine(*module).name, "cpu");
}

}  // namespace
}  // namespace hilo
