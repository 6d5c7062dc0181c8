// Measured times: both forms are read, and override the estimate where they know an instruction.
#include "core/analysis/cost/profile_latency.h"

#include <gtest/gtest.h>

#include "core/analysis/cost/uniform_latency.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

TEST(ProfileLatency, ReadsXlasTextForm) {
  const auto profile = parseLatencyProfile(
      "costs { name: \"dot.1\" cost_us: 2.5 }\ncosts: { name: 'add' cost_us: 1 } # comment\n"
      "latencies { source: \"s\" target: \"d\" latency_us: 40 }\n",
      "f.pbtxt");
  ASSERT_TRUE(profile) << toString(profile.error());
  EXPECT_EQ(profile->costUs.at("dot.1"), 2.5);
  EXPECT_EQ(profile->costUs.size(), 2u);
  EXPECT_EQ((profile->latencyUs.at({"s", "d"})), 40);
}

TEST(ProfileLatency, ReadsATable) {
  const auto profile = parseLatencyProfile("# name,us\ndot.1, 2.5\n\nadd,1\n", "f.csv");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->costUs.at("dot.1"), 2.5);
}

TEST(ProfileLatency, SaysWhereItIsWrong) {
  const auto bad = [](std::string_view text) {
    const auto profile = parseLatencyProfile(text, "f");
    return profile ? "" : toString(profile.error());
  };
  EXPECT_EQ(bad("a,1\nb\n"), "f:2: error: bad-profile: NAME,MICROSECONDS expected");
  EXPECT_EQ(bad("costs { name: \"a\" cost_us: -1 }"), "f:1: error: bad-profile: '-1' is not a time");
  EXPECT_NE(bad("costs { name: \"a"), "");
  EXPECT_NE(bad("costs { name: \"a\" cost_us: 1 "), "");
  EXPECT_NE(bad("cost { name: \"a\" }"), "");
}

TEST(ProfileLatency, OverridesTheEstimate) {
  auto module = parseModuleStrictly(R"(HloModule m
ENTRY e {
  x = f32[8]{0} parameter(0)
  s = (f32[8]{0}, f32[8]{0}) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  n = f32[8]{0} negate(x)
  c = f32[8]{0} copy(n)
  d = f32[8]{0} collective-permute-done(s)
  ROOT a = f32[8]{0} add(c, d)
}
)");
  ASSERT_TRUE(module);
  const UniformLatencyEstimator uniform;
  const ProfileLatencyEstimator estimator(*parseLatencyProfile("n,12\ns,70\n", "f"), uniform);
  const auto at = [&](std::string_view name) -> const Instruction& {
    return *(*module)->findInstruction(name);
  };
  EXPECT_EQ(estimator.nodeCost(at("n")), 12);
  EXPECT_EQ(estimator.nodeCost(at("c")), 1);
  EXPECT_EQ(estimator.nodeCost(at("s")), 1);
  EXPECT_EQ(estimator.latencyBetween(at("s"), at("d")), 70);
  EXPECT_TRUE(estimator.knows(at("n")));
  EXPECT_FALSE(estimator.knows(at("c")));
}

}  // namespace
}  // namespace hilo
