// A run's time limit where no worker keeps it: arguments that take long to make up, the evaluator.
#include <gtest/gtest.h>

#include "core/workspace/run/runs.h"
#include "core/workspace/run/time_limit.h"
#include "core/workspace/values/instruction_values.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

Result<RunRecord> limited(const std::string& text, double seconds, const std::string& engine = "reference") {
  return execute({.module = moduleOf(text),
                  .engine = engine,
                  .worker = WorkerOptions{.timeLimitNs = static_cast<int64_t>(seconds * 1e9)}},
                 JobContext());
}

// 400 million numbers of 64 bits take seconds.
const std::string kSlowToMake =
    "ENTRY e { a = f64[400000000] parameter(0)\n  ROOT r = f64[1] slice(a), slice={[0:1]} }";

TEST(TimeLimit, EndsMakingArguments) {
  const auto run = limited(kSlowToMake, 0.05);
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, "time-limit");
  EXPECT_EQ(run.error().message, "making arguments was ended after 0.05 s, the time limit of a run");
}

TEST(TimeLimit, EndsEnginesThatRunInThisProcess) {
  const std::string longLoop = countingLoop("f32[]", 2'000'000'000, "w = f32[] add(v, v)") + R"(
ENTRY e { zero = s32[] constant(0)
  one = f32[] constant(1)
  t = (s32[], f32[]) tuple(zero, one)
  ROOT l = (s32[], f32[]) while(t), condition=condition, body=body })";
  const auto run = limited(longLoop, 0.05, "reference");
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, "time-limit");
  EXPECT_EQ(run.error().message, "the run was ended after 0.05 s, the time limit of a run");
}

TEST(TimeLimit, PassesCancellingOn) {
  const CancelToken outer;
  const TimeLimit limit(int64_t{3600} * 1'000'000'000, outer);
  EXPECT_FALSE(limit.token().cancelled());
  outer.cancel();
  while (!limit.token().cancelled()) std::this_thread::yield();
  EXPECT_EQ(limit.explained({.kind = "cancelled"}, "the run").kind, "cancelled");
}

TEST(TimeLimit, ACancelledWalkMakesNoArguments) {
  const CancelToken cancel;
  cancel.cancel();
  const auto values = instructionValues({.module = moduleOf(kSlowToMake)}, JobContext(cancel));
  ASSERT_FALSE(values.has_value());
  EXPECT_EQ(values.error().message, "making arguments was cancelled");
}

TEST(TimeLimit, LeavesQuickRunsAlone) {
  EXPECT_TRUE(limited("ENTRY e { a = f32[4] parameter(0)\n  ROOT b = f32[4] negate(a) }", 3600).has_value());
}

}  // namespace
}  // namespace hilo
