// Engines of another machine, which is this one behind a script in the place of ssh: the answers of the
// engine here, also where the line breaks on the way, and errors that say what happened.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "core/hlo/text/parse.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

constexpr std::string_view kModule = R"(HloModule sums
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  p = f32[64,64] parameter(0)
  q = f32[64,64] parameter(1)
  product = f32[64,64] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  ROOT r = f32[64] reduce(product, zero), dimensions={1}, to_apply=add
})";

class RemoteEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    state_ = testing::TempDir() + "hilo_cut_" + std::to_string(getpid());
    cutAfter("");
    setenv("HILO_SSH", HILO_CUTTING_SSH, 1);
    setenv("HILO_REMOTE", HILO_PROGRAM, 1);
    setenv("HILO_CUTTING_STATE", state_.c_str(), 1);
  }
  void cutAfter(const std::string& bytes) { std::ofstream(state_) << bytes; }
  Result<RunRecord> run(const std::string& engine, int repeat = 1) {
    auto module = parseModuleStrictly(std::string(kModule));
    EXPECT_TRUE(module.has_value());
    RunRequest request{.module = *std::move(module), .engine = engine, .repeat = repeat};
    request.arguments.seed = 5;
    return execute(request, JobContext());
  }

 private:
  std::string state_;
};

TEST_F(RemoteEngineTest, GivesTheAnswersOfTheEngineHere) {
  for (const std::string engine : {"reference", "reference:sums-as-specified", "plain"}) {
    const auto here = run(engine), there = run(engine + "@user@here", 3);
    ASSERT_TRUE(here.has_value());
    ASSERT_TRUE(there.has_value()) << toString(there.error());
    EXPECT_EQ(there->outputDigest, here->outputDigest) << engine;
    EXPECT_EQ(there->timings.samplesNs.size(), 3u);
  }
  EXPECT_TRUE(run("cpu@here").has_value());
}

TEST_F(RemoteEngineTest, LosesNothingWhereTheLineBreaks) {
  const auto here = run("reference");
  ASSERT_TRUE(here.has_value());
  // What goes over the line: two arrays of 16 KiB, the module, the result, and words of either end.
  std::mt19937 random(7);
  const int cuts = std::getenv("HILO_ALL_CUTS") != nullptr ? 100 : 15;
  for (int i = 0; i < cuts; ++i) {
    const unsigned bytes = std::uniform_int_distribution<unsigned>(1, 34000)(random);
    cutAfter(std::to_string(bytes));
    // Each cut is of a line of its own.
    const auto there = run("reference@host" + std::to_string(i));
    ASSERT_TRUE(there.has_value()) << "cut after " << bytes << ": " << toString(there.error());
    EXPECT_EQ(there->outputDigest, here->outputDigest) << "cut after " << bytes;
  }
}

TEST_F(RemoteEngineTest, SaysWhatWentWrong) {
  const auto kindOf = [&](const std::string& engine) {
    const auto failed = run(engine);
    return failed ? "none" : failed.error().kind;
  };
  EXPECT_EQ(kindOf("nothing@here"), "unknown-engine");
  EXPECT_EQ(kindOf("@here"), "unknown-engine");
  EXPECT_EQ(kindOf("cpu@-oProxyCommand=x"), "bad-host");
  EXPECT_EQ(kindOf("cpu@a b"), "bad-host");
  setenv("HILO_REMOTE", "/nowhere/hilo", 1);
  const auto missing = run("cpu@elsewhere");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().kind, "line-lost");
  EXPECT_NE(toString(missing.error()).find("/nowhere/hilo"), std::string::npos) << toString(missing.error());
  setenv("HILO_SSH", "/nowhere/ssh", 1);
  EXPECT_EQ(kindOf("cpu@nowhere"), "no-worker");
}

TEST_F(RemoteEngineTest, StopsWhenItIsCancelled) {
  auto module = parseModuleStrictly(R"(HloModule forever
body { ROOT p = s32[] parameter(0) }
cond { p = s32[] parameter(0)  ROOT t = pred[] constant(true) }
ENTRY e { p = s32[] parameter(0)  ROOT w = s32[] while(p), condition=cond, body=body })");
  ASSERT_TRUE(module.has_value());
  const CancelToken cancel;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    cancel.cancel();
  });
  const auto stopped =
      execute({.module = *std::move(module), .engine = "reference@here"}, JobContext(cancel));
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, "cancelled");
}

}  // namespace
}  // namespace hilo
