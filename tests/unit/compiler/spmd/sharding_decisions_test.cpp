// Who gave each instruction its sharding: neighbour, rule, direction, level.
#include "core/compiler/spmd/sharding_propagation.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using Direction = ShardingDecision::Direction;

std::vector<ShardingDecision> decisionsOf(const std::string& text) {
  auto module = parseModuleStrictly("HloModule m, num_partitions=4\n" + text);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  auto decisions = spreadShardings(**module);
  EXPECT_TRUE(decisions.has_value());
  return decisions ? *decisions : std::vector<ShardingDecision>();
}

const ShardingDecision* lastOf(const std::vector<ShardingDecision>& decisions, std::string_view name) {
  const ShardingDecision* found = nullptr;
  for (const ShardingDecision& decision : decisions) found = decision.name == name ? &decision : found;
  return found;
}

TEST(ShardingDecisions, ForwardFromAnOperand) {
  const auto decisions = decisionsOf(R"(ENTRY e { p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
    n = f32[8] negate(p)
    ROOT t = (f32[8]) tuple(n) })");
  const ShardingDecision* decision = lastOf(decisions, "n");
  ASSERT_NE(decision, nullptr);
  EXPECT_EQ(decision->neighbour, "p");
  EXPECT_EQ(decision->rule, "negate");
  EXPECT_EQ(decision->direction, Direction::FromOperand);
  EXPECT_EQ(decision->level, 0);
  EXPECT_EQ(decision->round, 1);
  EXPECT_EQ(decision->sharding, "{devices=[4]<=[4]}");
}

TEST(ShardingDecisions, BackwardFromADotAtLevelOne) {
  const auto decisions = decisionsOf(R"(ENTRY e { p = f32[8,4] parameter(0)
    w = f32[4,8] parameter(1)
    n = f32[8,4] negate(p)
    d = f32[8,8] dot(n, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[2,2]<=[4]}
    ROOT t = (f32[8,8]) tuple(d) })");
  const ShardingDecision* decision = lastOf(decisions, "n");
  ASSERT_NE(decision, nullptr);
  EXPECT_EQ(decision->neighbour, "d");
  EXPECT_EQ(decision->rule, "dot");
  EXPECT_EQ(decision->direction, Direction::FromUser);
  EXPECT_EQ(decision->level, 1);
  EXPECT_EQ(decision->sharding, "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
}

TEST(ShardingDecisions, ABroadcastWaitsForLevelThree) {
  const auto decisions = decisionsOf(R"(ENTRY e { p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
    b = f32[8,3] broadcast(p), dimensions={0}
    ROOT t = (f32[8,3]) tuple(b) })");
  const ShardingDecision* decision = lastOf(decisions, "b");
  ASSERT_NE(decision, nullptr);
  EXPECT_EQ(decision->level, 3);
  EXPECT_EQ(decision->sharding, "{devices=[4,1]<=[4]}");
}

TEST(ShardingDecisions, PartlyReplicatedOnesMerge) {
  const auto decisions = decisionsOf(R"(ENTRY e {
    p = f32[8,8] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
    q = f32[8,8] parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
    a = f32[8,8] add(p, q)
    ROOT t = (f32[8,8]) tuple(a) })");
  const ShardingDecision* decision = lastOf(decisions, "a");
  ASSERT_NE(decision, nullptr);
  EXPECT_EQ(decision->sharding, "{devices=[2,2]<=[4]}");
  EXPECT_EQ(decision->level, 1);
}

// Of a call with a partitioner of its own only what its users ask for is known; of any other nothing.
TEST(ShardingDecisions, BackwardToACallWithItsOwnPartitioner) {
  for (const char* attributes : {"custom_call_target=\"CustomSPMDPartitioning\"",
                                 "custom_call_target=\"solve\", frontend_attributes={num_batch_dims=\"0\"}",
                                 "custom_call_target=\"solve\""}) {
    const auto decisions = decisionsOf(std::string(R"(ENTRY e { p = f32[8] parameter(0)
      c = f32[8] custom-call(p), )") + attributes +
                                       R"(
      n = f32[8] negate(c), sharding={devices=[4]<=[4]}
      ROOT t = (f32[8]) tuple(n) })");
    const ShardingDecision* decision = lastOf(decisions, "c");
    const bool isKnown = std::string_view(attributes) != "custom_call_target=\"solve\"";
    ASSERT_EQ(decision != nullptr, isKnown) << attributes;
    if (isKnown) EXPECT_EQ(decision->sharding, "{devices=[4]<=[4]}");
  }
}

}  // namespace
}  // namespace hilo
